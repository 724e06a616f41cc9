// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// What an operation says of the rows of a prompt; the .td file describes the
// interface. Ask through modelOf<CausalOpInterface>(op).

#ifndef NPU_INTERFACES_CAUSALOPINTERFACE_H
#define NPU_INTERFACES_CAUSALOPINTERFACE_H

#include "npu/Interfaces/RowTransfer.h"

#include "npu/Interfaces/CausalOpInterface.h.inc"

#endif // NPU_INTERFACES_CAUSALOPINTERFACE_H
