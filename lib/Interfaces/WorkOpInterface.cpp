// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception

#include "npu/Interfaces/WorkOpInterface.h"

#include "npu/Interfaces/WorkOpInterface.cpp.inc"
