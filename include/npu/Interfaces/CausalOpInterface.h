// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// The interface by which an operation says how rows of its results follow from
// rows of a prompt; the .td file describes it. Ask through
// modelOf<CausalOpInterface>(op).

#ifndef NPU_INTERFACES_CAUSALOPINTERFACE_H
#define NPU_INTERFACES_CAUSALOPINTERFACE_H

#include "npu/Interfaces/RowTransfer.h"

#include "npu/Interfaces/CausalOpInterface.h.inc"

#endif // NPU_INTERFACES_CAUSALOPINTERFACE_H
