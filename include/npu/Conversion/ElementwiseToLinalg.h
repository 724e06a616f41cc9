// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// Elementwise operations on tensors as structured operations.

#ifndef NPU_CONVERSION_ELEMENTWISETOLINALG_H
#define NPU_CONVERSION_ELEMENTWISETOLINALG_H

#include "mlir/IR/PatternMatch.h"

namespace npu {

/// Whether an operation computes each element of its results from one element
/// of every tensor among its operands (arith.addf and math.exp on tensors).
bool isElementwiseOnTensors(mlir::Operation *op);

/// Makes a linalg.generic of each of these operations, as upstream's
/// convert-elementwise-to-linalg does, but folds nothing: upstream folds
/// math.exp and its like of a constant by the C library, whose last bit may
/// differ from that of the polynomials by which a run computes them
/// (npu-approximate-math). `listener` may be null.
///
/// Example: `%y = math.exp %x : tensor<4xf32>` becomes a linalg.generic with
/// `math.exp` in its body, also where %x is a constant.
void elementwiseToLinalg(llvm::ArrayRef<mlir::Operation *> ops,
                         mlir::RewriterBase::Listener *listener = nullptr);

/// The same of those operations that upstream's pattern makes no valid
/// operation of: a result has a layout and no operand is of its type, so that
/// the tensor that upstream makes for it would have none.
void elementwiseWithLayoutsToLinalg(mlir::Operation *root);

} // namespace npu

#endif // NPU_CONVERSION_ELEMENTWISETOLINALG_H
