// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// npu-pad-to-max-prompt-len: pads prompt dimensions to one static shape for all
// prompt lengths, without changing a bit of the real results.

#include "npu/Preprocess/Padding/PadToMaxPromptLen.h"
#include "PadFunction.h"
#include "PreparePadding.h"
#include "ReadByEntry.h"
#include "npu/Dialect/NPU/IR/NPUDialect.h"
#include "npu/Preprocess/Padding/Passes.h"
#include "npu/Support/Decisions.h"
#include "npu/Support/RefusalKind.h"

#include "mlir/Dialect/Affine/IR/AffineOps.h"
#include "mlir/Dialect/Arith/IR/Arith.h"
#include "mlir/Dialect/ControlFlow/IR/ControlFlow.h"
#include "mlir/Dialect/Linalg/IR/Linalg.h"
#include "mlir/Dialect/Tensor/IR/Tensor.h"

#include <fmt/format.h>

using namespace mlir;

namespace npu {

#define GEN_PASS_DEF_PADTOMAXPROMPTLEN
#include "npu/Preprocess/Padding/Passes.h.inc"

namespace {

/// Pads a function and returns how many masks the padded function needs.
FailureOr<int64_t> padFunction(func::FuncOp function, const Prompt &prompt,
                               const PadOptions &options) {
  Prompt padded = prompt;
  if (options.staticSignature)
    padded.length = std::nullopt;
  hoistDims(function);
  while (true) {
    PaddingAnalysis analysis(function, padded);
    if (failed(analysis.run()))
      return failure();
    if (analysis.toDecompose().empty() && analysis.entryByEntry().empty())
      return padAnalyzed(function, analysis, options);
    IRRewriter rewriter(function.getContext());
    rewriter.setInsertionPointToStart(&function.front());
    Value length = promptLength(rewriter, function, padded);
    for (const EntryByEntry &each : analysis.entryByEntry()) {
      remarkDone("by-entry", each.op, 0, [&] {
        return fmt::format("'{}' reads entry by entry: real entries do not "
                           "stay together",
                           each.op->getName().getStringRef().str());
      });
      if (failed(rewriteByEntry(rewriter, each, length)))
        return failure();
    }
    for (Operation *op : analysis.toDecompose())
      if (failed(decomposeToPad(op, rewriter)))
        return failure();
  }
}

} // namespace

LogicalResult padToMaxPromptLen(Operation *root, const PadOptions &options) {
  inlineCallsWithPrompt(root);
  FailureOr<PromptFunctions> prompts = findPrompts(root, options);
  if (failed(prompts))
    return failure();
  int64_t most = 0;
  func::FuncOp withMost;
  for (auto &[function, prompt] : *prompts) {
    FailureOr<int64_t> masks = padFunction(function, prompt, options);
    if (failed(masks))
      return failure();
    if (!withMost || *masks > most)
      withMost = function;
    most = std::max(most, *masks);
  }
  if (withMost && options.withoutMask >= most)
    return marked(emitError(withMost.getLoc())
                      << "expected without-mask below " << most
                      << ", the most masks in a function, got "
                      << options.withoutMask,
                  RefusalKind::NoSuchMask);
  return success();
}

namespace {

struct PadToMaxPromptLenPass
    : impl::PadToMaxPromptLenBase<PadToMaxPromptLenPass> {
  using PadToMaxPromptLenBase::PadToMaxPromptLenBase;

  void runOnOperation() override {
    Operation *root = getOperation();
    auto parsed = parsePaddingSide(root->getLoc(), side);
    PadOptions options{maxPromptLen, PaddingSide::Right, staticSignature,
                       poison, withoutMask};
    if (failed(parsed) ||
        failed(checkMaxPromptLen(root->getLoc(), maxPromptLen)))
      return signalPassFailure();
    options.side = *parsed;
    if (failed(padToMaxPromptLen(root, options)))
      signalPassFailure();
  }
};

} // namespace
} // namespace npu
