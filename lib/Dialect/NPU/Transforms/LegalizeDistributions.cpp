// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// npu-legalize-distributions: pad, when asked, then repair.

#include "npu/Dialect/NPU/Transforms/InsertRedistributions.h"
#include "npu/Dialect/NPU/Transforms/PadToMaxPromptLen.h"
#include "npu/Dialect/NPU/Transforms/Passes.h"

using namespace mlir;

namespace npu {

#define GEN_PASS_DEF_LEGALIZEDISTRIBUTIONS
#include "npu/Dialect/NPU/Transforms/Passes.h.inc"

namespace {

struct LegalizeDistributionsPass
    : impl::LegalizeDistributionsBase<LegalizeDistributionsPass> {
  using LegalizeDistributionsBase::LegalizeDistributionsBase;

  void runOnOperation() override {
    if (!maxPromptLen.empty() && failed(pad()))
      return signalPassFailure();
    if (failed(insertRedistributions(getOperation(), splitReductions)))
      signalPassFailure();
  }

  LogicalResult pad() {
    Operation *root = getOperation();
    FailureOr<PaddingSide> parsed = parsePaddingSide(root->getLoc(), side);
    if (failed(parsed))
      return failure();
    PadOptions options;
    options.side = *parsed;
    options.poison = poison;
    return padToBuckets(root, maxPromptLen, options);
  }
};

} // namespace
} // namespace npu
