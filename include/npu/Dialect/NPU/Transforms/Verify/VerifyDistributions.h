// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// The checks of npu-verify-distributions, for passes that need one of them
// before they begin.

#ifndef NPU_DIALECT_NPU_TRANSFORMS_VERIFY_VERIFYDISTRIBUTIONS_H
#define NPU_DIALECT_NPU_TRANSFORMS_VERIFY_VERIFYDISTRIBUTIONS_H

#include "mlir/IR/Operation.h"

namespace npu {

/// An error at every value whose layout does not fit its tensor: types built
/// by other dialects' patterns are not verified when they are built.
llvm::LogicalResult verifyLayoutsFit(mlir::Operation *root);

/// An error at every operation that hands a distributed tensor on in a way that
/// no tile can follow: a branch to a block, a call of what has no name, loops
/// other than scf.for and scf.while; with a module, recursion where tiles work.
llvm::LogicalResult verifyCarriers(mlir::Operation *root);

/// An error at the first operation for which more has to move than can be
/// planned: a redistribution, or a load or store around an operation on
/// gathered data or at a function's boundary.
llvm::LogicalResult verifyPlans(mlir::Operation *root);

/// An error at every operation on tiles that reads of a tensor.empty what was
/// not written since.
llvm::LogicalResult verifyWritten(mlir::Operation *root);

} // namespace npu

#endif // NPU_DIALECT_NPU_TRANSFORMS_VERIFY_VERIFYDISTRIBUTIONS_H
