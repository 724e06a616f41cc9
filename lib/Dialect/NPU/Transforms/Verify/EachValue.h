// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// Visits all values of a program, for checks of types.

#ifndef NPU_LIB_DIALECT_NPU_TRANSFORMS_VERIFY_EACHVALUE_H
#define NPU_LIB_DIALECT_NPU_TRANSFORMS_VERIFY_EACHVALUE_H

#include "mlir/IR/Operation.h"

namespace npu {

/// Calls `check` with every result of `op` and every argument of a block of its
/// regions, and with its location.
template <typename Check>
void forEachOwnValue(mlir::Operation *op, const Check &check) {
  for (mlir::Value result : op->getResults())
    check(result, op->getLoc());
  for (mlir::Region &region : op->getRegions())
    for (mlir::Block &block : region)
      for (mlir::BlockArgument argument : block.getArguments())
        check(argument, argument.getLoc());
}

/// The same for every operation of a program, in program order.
template <typename Check>
void forEachValue(mlir::Operation *root, const Check &check) {
  root->walk<mlir::WalkOrder::PreOrder>(
      [&](mlir::Operation *op) { forEachOwnValue(op, check); });
}

} // namespace npu

#endif // NPU_LIB_DIALECT_NPU_TRANSFORMS_VERIFY_EACHVALUE_H
