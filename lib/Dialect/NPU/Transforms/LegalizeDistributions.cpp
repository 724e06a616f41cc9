// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// npu-legalize-distributions: repair, then fold what the repair made
// superfluous.

#include "npu/Dialect/NPU/Transforms/InsertRedistributions.h"
#include "npu/Dialect/NPU/Transforms/Passes.h"

using namespace mlir;

namespace npu {

#define GEN_PASS_DEF_LEGALIZEDISTRIBUTIONS
#include "npu/Dialect/NPU/Transforms/Passes.h.inc"

namespace {

struct LegalizeDistributionsPass
    : impl::LegalizeDistributionsBase<LegalizeDistributionsPass> {
  using LegalizeDistributionsBase::LegalizeDistributionsBase;

  LogicalResult initialize(MLIRContext *context) override {
    if (maxPromptLen.getNumOccurrences() == 0)
      return success();
    return emitError(UnknownLoc::get(context))
           << "npu-legalize-distributions: max-prompt-len = "
           << maxPromptLen.getValue()
           << " asks for padding, which this version does not do; without the "
              "option, distributions are legalized at the lengths they have";
  }

  void runOnOperation() override {
    if (failed(insertRedistributions(getOperation(), splitReductions)))
      signalPassFailure();
  }
};

} // namespace
} // namespace npu
