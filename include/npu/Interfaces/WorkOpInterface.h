// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// The interface of operations that say how much work they are; the .td file
// describes it. Ask through modelOf<WorkOpInterface>(op).

#ifndef NPU_INTERFACES_WORKOPINTERFACE_H
#define NPU_INTERFACES_WORKOPINTERFACE_H

#include "npu/Target/Costs.h"

#include "mlir/IR/OpDefinition.h"

#include "npu/Interfaces/WorkOpInterface.h.inc"

#endif // NPU_INTERFACES_WORKOPINTERFACE_H
