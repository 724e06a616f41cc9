// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// Where distributed tensors meet code without tiles: a function's signature, a
// call, an operation that cannot be cut. There they pass through DDR.

#ifndef NPU_LIB_CONVERSION_LOWERTOTILES_BOUNDARY_H
#define NPU_LIB_CONVERSION_LOWERTOTILES_BOUNDARY_H

#include "mlir/IR/BuiltinOps.h"

namespace npu {

/// Gives every function the argument and result types without layouts, loads
/// arguments at its beginning and stores results before it returns.
void passThroughDdrAtBoundaries(mlir::ModuleOp module);

/// Rewrites `op` to tensors in DDR: operands are stored before it, each once,
/// and results loaded after it. hostFallbackOf counts these loads and stores.
void fallBackToHost(mlir::Operation *op);

/// Marks tensors that the model hands on unwritten, to a loop, a branch, a call
/// or the body of an operation, as padding: they may hold anything. Each gets a
/// tensor.empty of its own, so that in a tile program only a store that is
/// missing leaves one without the mark.
void markUnwritten(mlir::ModuleOp module);

} // namespace npu

#endif // NPU_LIB_CONVERSION_LOWERTOTILES_BOUNDARY_H
