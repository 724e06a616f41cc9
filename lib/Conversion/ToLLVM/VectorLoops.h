// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception

#ifndef NPU_LIB_CONVERSION_TOLLVM_VECTORLOOPS_H
#define NPU_LIB_CONVERSION_TOLLVM_VECTORLOOPS_H

#include "LoopPlan.h"

namespace npu {

/// Builds the loops of a plan in front of a structured operation on buffers,
/// which stays. Every element of a result is computed by the operations of
/// loops over scalars, in their order.
void buildVectorLoops(mlir::linalg::LinalgOp op, const LoopPlan &plan);

} // namespace npu

#endif // NPU_LIB_CONVERSION_TOLLVM_VECTORLOOPS_H
