// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception

#ifndef NPU_ANALYSIS_BODY_NESTEDINDICES_H
#define NPU_ANALYSIS_BODY_NESTEDINDICES_H

#include "mlir/IR/Operation.h"

namespace npu {

/// An error at the first linalg.index of a structured operation that stands in
/// the body of another one. Upstream's elimination of common subexpressions
/// takes it for a linalg.index of the outer operation with the same number, of
/// another loop: linalg.index says nothing of the operation that it is of.
llvm::LogicalResult refuseNestedIndices(mlir::Operation *root);

} // namespace npu

#endif // NPU_ANALYSIS_BODY_NESTEDINDICES_H
