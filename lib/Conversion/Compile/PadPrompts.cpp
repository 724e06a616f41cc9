// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// npu-pad-prompts: pads a module that has prompts, and leaves others alone.

#include "npu/Conversion/Compile/Passes.h"
#include "npu/Preprocess/Padding/PadToMaxPromptLen.h"

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

/// Which prompts a module has.
struct Prompts {
  /// A function with an argument of dynamic shape, and that argument's type.
  func::FuncOp function;
  Type dynamic;
  /// Whether an argument names its prompt dimensions.
  bool marked = false;
};

Prompts promptsOf(ModuleOp module) {
  Prompts prompts;
  for (auto function : module.getOps<func::FuncOp>()) {
    if (function.isExternal())
      continue;
    for (BlockArgument argument : function.getArguments()) {
      prompts.marked |=
          bool(function.getArgAttr(argument.getArgNumber(), promptDimAttrName));
      auto type = dyn_cast<TensorType>(argument.getType());
      if (prompts.dynamic || !type || type.hasStaticShape())
        continue;
      prompts.dynamic = type;
      prompts.function = function;
    }
  }
  return prompts;
}

struct PadPromptsPass : impl::PadPromptsBase<PadPromptsPass> {
  using PadPromptsBase::PadPromptsBase;

  void runOnOperation() override {
    ModuleOp module = getOperation();
    FailureOr<PadOptions> options = readOptions();
    if (failed(options))
      return signalPassFailure();
    Prompts prompts = promptsOf(module);
    if (prompts.dynamic && maxPromptLen.empty()) {
      mlir::emitError(prompts.function.getLoc())
          << "expected max-prompt-len=N, the extent to which dynamic "
             "dimensions "
             "are padded, for an argument of "
          << prompts.dynamic;
      return signalPassFailure();
    }
    if (maxPromptLen.empty())
      return markAllAnalysesPreserved();
    if (!prompts.dynamic && !prompts.marked) {
      mlir::emitWarning(module.getLoc())
          << "max-prompt-len pads nothing: no argument has a dynamic dimension "
             "or "
          << promptDimAttrName;
      return markAllAnalysesPreserved();
    }
    if (failed(padToBuckets(module, maxPromptLen, *options)))
      signalPassFailure();
  }

private:
  FailureOr<PadOptions> readOptions() {
    Location loc = getOperation().getLoc();
    for (int64_t length : maxPromptLen)
      if (failed(checkMaxPromptLen(loc, length)))
        return failure();
    FailureOr<PaddingSide> parsed = parsePaddingSide(loc, side);
    if (failed(parsed))
      return failure();
    PadOptions options;
    options.side = *parsed;
    options.staticSignature = staticSignature;
    options.poison = poison;
    return options;
  }
};

} // namespace
} // namespace npu
