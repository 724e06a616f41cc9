// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// The checks of npu-verify-distributions, for other passes that need one of
// them before they begin.

#ifndef NPU_DIALECT_NPU_TRANSFORMS_VERIFY_VERIFYDISTRIBUTIONS_H
#define NPU_DIALECT_NPU_TRANSFORMS_VERIFY_VERIFYDISTRIBUTIONS_H

#include "mlir/IR/Operation.h"

namespace npu {

/// An error at every value whose layout does not fit its tensor: types built
/// by other dialects' patterns are not verified when they are built.
llvm::LogicalResult verifyLayoutsFit(mlir::Operation *root);

/// The same for the results and block arguments of one operation, for callers
/// that walk over all operations anyhow.
llvm::LogicalResult verifyOwnLayoutsFit(mlir::Operation *op);

/// An error at every operation that hands a distributed tensor on in a way that
/// tiles cannot follow: a branch to a block, an indirect call, loops other than
/// scf.for and scf.while. With a module as `root`, also recursion of functions
/// that work on tiles.
llvm::LogicalResult verifyCarriers(mlir::Operation *root);

/// An error at the first operation for which more has to move than can be
/// planned: a redistribution, or a load or store around a host
/// fallback or at a function's boundary.
llvm::LogicalResult verifyPlans(mlir::Operation *root);

/// An error at every operation on tiles that reads a part of a tensor.empty
/// that has not been written since.
llvm::LogicalResult verifyWritten(mlir::Operation *root);

/// An error at the first operation or argument of dynamic shape, but for real
/// parts at the edges of padded functions, which stay in DDR: what is measured,
/// put into a padded tensor, cut out of one, put together of such slices, or
/// returned, and is computed on nowhere.
llvm::LogicalResult verifyStaticShapes(mlir::Operation *root);

} // namespace npu

#endif // NPU_DIALECT_NPU_TRANSFORMS_VERIFY_VERIFYDISTRIBUTIONS_H
