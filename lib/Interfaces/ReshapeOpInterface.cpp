// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception

#include "npu/Interfaces/ReshapeOpInterface.h"

#include "npu/Interfaces/ReshapeOpInterface.cpp.inc"
