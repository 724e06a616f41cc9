// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// npu-pad-prompts: pads a module that has prompts, and leaves others alone.

#include "npu/Conversion/Compile/Passes.h"
#include "npu/Dialect/NPU/Transforms/Padding/PadToMaxPromptLen.h"

#include "mlir/Dialect/Affine/IR/AffineOps.h"
#include "mlir/Dialect/Arith/IR/Arith.h"
#include "mlir/Dialect/ControlFlow/IR/ControlFlow.h"
#include "mlir/Dialect/Linalg/IR/Linalg.h"
#include "mlir/Dialect/SCF/IR/SCF.h"
#include "mlir/Dialect/Tensor/IR/Tensor.h"

using namespace mlir;

namespace npu {

#define GEN_PASS_DEF_PADPROMPTS
#include "npu/Conversion/Compile/Passes.h.inc"

namespace {

struct PadPromptsPass : impl::PadPromptsBase<PadPromptsPass> {
  using PadPromptsBase::PadPromptsBase;

  void runOnOperation() override {
    ModuleOp module = getOperation();
    Type dynamic;
    bool marked = false;
    func::FuncOp where;
    for (auto function : module.getOps<func::FuncOp>()) {
      if (function.isExternal())
        continue;
      for (unsigned i = 0; i < function.getNumArguments(); ++i) {
        marked |= bool(function.getArgAttr(i, promptDimAttrName));
        auto type = dyn_cast<TensorType>(function.getArgument(i).getType());
        if (dynamic || !type || type.hasStaticShape())
          continue;
        dynamic = type;
        where = function;
      }
    }
    if (maxPromptLen.empty()) {
      if (!dynamic)
        return markAllAnalysesPreserved();
      mlir::emitError(where.getLoc()) << "expected max-prompt-len=N, the "
                                         "extent to which dynamic dimensions "
                                         "are padded, for an argument of "
                                      << dynamic;
      return signalPassFailure();
    }
    if (!dynamic && !marked) {
      mlir::emitWarning(module.getLoc())
          << "max-prompt-len pads nothing: no argument has a dynamic dimension "
             "or "
          << promptDimAttrName;
      return markAllAnalysesPreserved();
    }
    if (failed(pad()))
      signalPassFailure();
  }

private:
  LogicalResult pad() {
    FailureOr<PaddingSide> parsed =
        parsePaddingSide(getOperation().getLoc(), side);
    if (failed(parsed))
      return failure();
    PadOptions options;
    options.side = *parsed;
    options.staticSignature = staticSignature;
    options.poison = poison;
    return padToBuckets(getOperation(), maxPromptLen, options);
  }
};

} // namespace
} // namespace npu
