// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// Concatenations from the insertions that upstream lowers them to.

#ifndef NPU_EXTERNALMODELS_TENSOR_RAISECONCATENATIONS_H
#define NPU_EXTERNALMODELS_TENSOR_RAISECONCATENATIONS_H

#include "mlir/IR/BuiltinOps.h"

namespace npu {

/// Replaces insertions into an empty tensor that write its parts along one
/// dimension, every entry once, by one tensor.concat. Insertions are operations
/// with layouts of their own, between which a tensor that is written in part
/// would move; and six parts would be six questions to whoever chooses layouts.
///
///   %0 = tensor.insert_slice %a into %empty[0, 0] [2, 6] [1, 1]
///   %1 = tensor.insert_slice %b into %0[0, 6] [2, 1] [1, 1]
///   // %1 becomes tensor.concat dim(1) %a, %b
void raiseConcatenations(mlir::ModuleOp module);

} // namespace npu

#endif // NPU_EXTERNALMODELS_TENSOR_RAISECONCATENATIONS_H
