// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception

#include "LoweredCopy.h"

#include "npu/Dialect/NPU/IR/TensorPlacement.h"

#include "mlir/Interfaces/FunctionInterfaces.h"
#include "mlir/Pass/PassManager.h"

using namespace mlir;

namespace npu {

static bool usesLayouts(ModuleOp module) {
  return module
      .walk([](Operation *op) {
        auto function = dyn_cast<FunctionOpInterface>(op);
        bool uses =
            llvm::any_of(op->getOperandTypes(), hasLayout) ||
            llvm::any_of(op->getResultTypes(), hasLayout) ||
            (function && llvm::any_of(function.getArgumentTypes(), hasLayout));
        return uses ? WalkResult::interrupt() : WalkResult::advance();
      })
      .wasInterrupted();
}

FailureOr<OwningOpRef<ModuleOp>> loweredCopyOf(ModuleOp module,
                                               GatherPolicy gather) {
  OwningOpRef<ModuleOp> lowered;
  if (!usesLayouts(module))
    return lowered;
  lowered = module.clone();
  PassManager passes(module.getContext());
  passes.addPass(createLowerToTiles({gather}));
  if (failed(passes.run(*lowered)))
    return failure();
  return lowered;
}

} // namespace npu
