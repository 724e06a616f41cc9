// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// The insertion of redistributions, for passes that have it as one of their
// steps.

#ifndef NPU_DIALECT_NPU_TRANSFORMS_LEGALIZE_INSERTREDISTRIBUTIONS_H
#define NPU_DIALECT_NPU_TRANSFORMS_LEGALIZE_INSERTREDISTRIBUTIONS_H

#include "mlir/IR/Operation.h"

namespace npu {

/// Makes every cast and every use of a distributed tensor inside `root`
/// compatible (see npu-insert-redistributions in Passes.td). Fails with a
/// diagnostic: with nothing changed, where a type's layout does not fit its
/// tensor; or where no plan can be made for what has to move. Without
/// `splitReductions`, no sum is added up in another order.
llvm::LogicalResult insertRedistributions(mlir::Operation *root,
                                          bool splitReductions);

} // namespace npu

#endif // NPU_DIALECT_NPU_TRANSFORMS_LEGALIZE_INSERTREDISTRIBUTIONS_H
