// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// npu-legalize-distributions: pads where asked to, then inserts
// redistributions.

#include "npu/Dialect/NPU/IR/NPUDialect.h"
#include "npu/Dialect/NPU/IR/TensorPlacement.h"
#include "npu/Dialect/NPU/Transforms/Legalize/InsertRedistributions.h"
#include "npu/Dialect/NPU/Transforms/Legalize/Passes.h"
#include "npu/Preprocess/Padding/PadToMaxPromptLen.h"
#include "npu/Support/OptionReaders.h"

#include "mlir/Dialect/Affine/IR/AffineOps.h"
#include "mlir/Dialect/Arith/IR/Arith.h"
#include "mlir/Dialect/ControlFlow/IR/ControlFlow.h"
#include "mlir/Dialect/Linalg/IR/Linalg.h"
#include "mlir/Dialect/SCF/IR/SCF.h"
#include "mlir/Dialect/Tensor/IR/Tensor.h"

using namespace mlir;

namespace npu {

#define GEN_PASS_DEF_LEGALIZEDISTRIBUTIONS
#include "npu/Dialect/NPU/Transforms/Legalize/Passes.h.inc"

namespace {

bool anyHasLayout(TypeRange types) { return llvm::any_of(types, hasLayout); }

bool hasLayouts(Operation *root) {
  return root
      ->walk([](Operation *op) {
        if (anyHasLayout(op->getOperandTypes()) ||
            anyHasLayout(op->getResultTypes()))
          return WalkResult::interrupt();
        for (Region &region : op->getRegions())
          for (Block &block : region)
            if (anyHasLayout(block.getArgumentTypes()))
              return WalkResult::interrupt();
        return WalkResult::advance();
      })
      .wasInterrupted();
}

/// Whether there are tensors at all: other modules are nobody's to legalize.
bool hasTensors(Operation *root) {
  return root
      ->walk([](Operation *op) {
        return llvm::any_of(op->getResultTypes(), llvm::IsaPred<TensorType>)
                   ? WalkResult::interrupt()
                   : WalkResult::advance();
      })
      .wasInterrupted();
}

struct LegalizeDistributionsPass
    : impl::LegalizeDistributionsBase<LegalizeDistributionsPass> {
  using LegalizeDistributionsBase::LegalizeDistributionsBase;

  LogicalResult initializeOptions(
      StringRef text,
      llvm::function_ref<LogicalResult(const llvm::Twine &)> fail) override {
    if (failed(LegalizeDistributionsBase::initializeOptions(text, fail)))
      return failure();
    return verifyOptionReaders(getArgument(),
                               {{"side", {"max-prompt-len"}, {}, "right"},
                                {"poison", {"max-prompt-len"}, {}, "false"}},
                               text, fail);
  }

  void runOnOperation() override {
    FailureOr<PaddingSide> parsed =
        parsePaddingSide(getOperation()->getLoc(), side);
    if (failed(parsed) || (!maxPromptLen.empty() && failed(pad(*parsed))))
      return signalPassFailure();
    // Whoever asks for this pass alone expects it to do something.
    if (!quiet && maxPromptLen.empty() && hasTensors(getOperation()) &&
        !hasLayouts(getOperation()))
      getOperation()->emitRemark()
          << "no tensor has a layout, so that there is nothing to legalize; "
             "npu-assign-distributions gives layouts";
    if (failed(insertRedistributions(getOperation(), splitReductions)) ||
        failed(reportHostFallbacks(getOperation(), gather)))
      signalPassFailure();
  }

  LogicalResult pad(PaddingSide paddingSide) {
    PadOptions options;
    options.side = paddingSide;
    options.poison = poison;
    return padToBuckets(getOperation(), maxPromptLen, options);
  }
};

} // namespace
} // namespace npu
