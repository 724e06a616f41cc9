// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception

#include "npu/Interfaces/CausalOpInterface.h"

#include "npu/Interfaces/CausalOpInterface.cpp.inc"
