// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// Operations that change nothing but a tensor's shape; the .td file describes
// the interface. Ask through modelOf<ReshapeOpInterface>(op).

#ifndef NPU_INTERFACES_RESHAPEOPINTERFACE_H
#define NPU_INTERFACES_RESHAPEOPINTERFACE_H

#include "mlir/IR/OpDefinition.h"

#include "npu/Interfaces/ReshapeOpInterface.h.inc"

#endif // NPU_INTERFACES_RESHAPEOPINTERFACE_H
