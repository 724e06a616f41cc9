// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception

#include "npu/Interfaces/EntryReadOpInterface.h"

#include "npu/Interfaces/EntryReadOpInterface.cpp.inc"
