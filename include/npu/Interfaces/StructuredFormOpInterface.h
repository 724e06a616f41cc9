// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// The interface of operations that can be rewritten as structured operations;
// the .td file describes it. Ask through
// modelOf<StructuredFormOpInterface>(op).

#ifndef NPU_INTERFACES_STRUCTUREDFORMOPINTERFACE_H
#define NPU_INTERFACES_STRUCTUREDFORMOPINTERFACE_H

#include "mlir/IR/OpDefinition.h"
#include "mlir/IR/PatternMatch.h"

#include "npu/Interfaces/StructuredFormOpInterface.h.inc"

#endif // NPU_INTERFACES_STRUCTUREDFORMOPINTERFACE_H
