// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// Lowers TOSA to linalg, arith and tensor by upstream's passes.

#ifndef NPU_LIB_CONVERSION_BUFFERS_LOWERTOSA_H
#define NPU_LIB_CONVERSION_BUFFERS_LOWERTOSA_H

#include "mlir/IR/DialectRegistry.h"
#include "mlir/IR/PatternMatch.h"
#include "mlir/Pass/PassManager.h"

namespace npu {

/// Registers the dialects that upstream's passes need.
void registerTosaDependencies(mlir::DialectRegistry &registry);

/// Lowers every TOSA operation inside of `root` in isolation, because
/// upstream's passes fold and canonicalize adjacent operations too, and would
/// merge constants or tensors of two tiles. `run` runs passes on an operation
/// inside of `root`; `lowered` is called with each operation before it is
/// replaced.
mlir::LogicalResult
lowerTosa(mlir::Operation *root, mlir::RewriterBase &rewriter,
          llvm::function_ref<mlir::LogicalResult(mlir::OpPassManager &,
                                                 mlir::Operation *)>
              run,
          llvm::function_ref<void(mlir::Operation *)> lowered);

} // namespace npu

#endif // NPU_LIB_CONVERSION_BUFFERS_LOWERTOSA_H
