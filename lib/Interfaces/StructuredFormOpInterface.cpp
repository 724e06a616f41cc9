// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception

#include "npu/Interfaces/StructuredFormOpInterface.h"

#include "npu/Interfaces/StructuredFormOpInterface.cpp.inc"
