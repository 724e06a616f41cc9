// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// Where distributed tensors meet what knows nothing of tiles: a function's
// signature, a call, an operation that cannot be cut. There they pass through
// DDR.

#ifndef NPU_LIB_CONVERSION_LOWERTOTILES_BOUNDARY_H
#define NPU_LIB_CONVERSION_LOWERTOTILES_BOUNDARY_H

#include "mlir/IR/BuiltinOps.h"

namespace npu {

/// Gives every function plain argument and result types (its own shapes,
/// without layouts), loading arguments at its beginning and storing results
/// before it returns.
void passThroughDdrAtBoundaries(mlir::ModuleOp module);

/// Does `op` on tensors in DDR: operands are stored first, each once, and
/// results loaded afterwards. What that moves is what gatherOf says.
void doInDdr(mlir::Operation *op);

} // namespace npu

#endif // NPU_LIB_CONVERSION_LOWERTOTILES_BOUNDARY_H
