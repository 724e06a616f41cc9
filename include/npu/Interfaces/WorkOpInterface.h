// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// The interface of operations that say how much work they are; the .td file
// describes it. Ask through modelOf<WorkOpInterface>(op).

#ifndef NPU_INTERFACES_WORKOPINTERFACE_H
#define NPU_INTERFACES_WORKOPINTERFACE_H

#include "npu/Target/Costs.h"

#include "mlir/IR/OpDefinition.h"

namespace npu {

/// Numbers of entries at the low and at the high end of each dimension.
using AddedZeros = llvm::SmallVector<std::pair<int64_t, int64_t>, 4>;

} // namespace npu

#include "npu/Interfaces/WorkOpInterface.h.inc"

#endif // NPU_INTERFACES_WORKOPINTERFACE_H
