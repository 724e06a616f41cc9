// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// Rewrites of operations that nothing is known of but their types and bodies,
// in functions where values may be pinned to layouts.

#ifndef NPU_LIB_EXTERNALMODELS_TENSOR_PLAINREWRITES_H
#define NPU_LIB_EXTERNALMODELS_TENSOR_PLAINREWRITES_H

#include "npu/Dialect/NPU/IR/TensorPlacement.h"

#include "mlir/Interfaces/FunctionInterfaces.h"
#include "mlir/Transforms/GreedyPatternRewriteDriver.h"

namespace npu {

/// Whether nothing but its types and its body says what the operation does, and
/// no layout.
inline bool isPlain(mlir::Operation *op) {
  return llvm::none_of(op->getOperandTypes(), hasLayout) &&
         llvm::none_of(op->getResultTypes(), hasLayout) &&
         llvm::none_of(op->getDiscardableAttrs(), [](mlir::NamedAttribute at) {
           return at.getName().strref().starts_with("npu.");
         });
}

/// Applies the patterns. All else stays as it is: values may be pinned to
/// layouts.
inline void applyAlone(mlir::FunctionOpInterface function,
                       mlir::RewritePatternSet patterns) {
  mlir::GreedyRewriteConfig config;
  config.enableFolding(false)
      .enableConstantCSE(false)
      .setRegionSimplificationLevel(mlir::GreedySimplifyRegionLevel::Disabled);
  (void)applyPatternsGreedily(function, std::move(patterns), config);
}

} // namespace npu

#endif // NPU_LIB_EXTERNALMODELS_TENSOR_PLAINREWRITES_H
