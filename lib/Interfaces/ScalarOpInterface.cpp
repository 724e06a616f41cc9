// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception

#include "npu/Interfaces/ScalarOpInterface.h"

#include "npu/Interfaces/ScalarOpInterface.cpp.inc"
