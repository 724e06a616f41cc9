// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// npu-print-largest-prompt-len: the search by itself.

#include "LargestPrompt.h"
#include "npu/Analysis/TargetOf.h"
#include "npu/Conversion/TilesToLLVM/Passes.h"
#include "npu/Dialect/NPU/Transforms/PadToMaxPromptLen.h"
#include "npu/Support/Report.h"

using namespace mlir;

namespace npu {

#define GEN_PASS_DEF_PRINTLARGESTPROMPTLEN
#include "npu/Conversion/TilesToLLVM/Passes.h.inc"

namespace {

struct PrintLargestPromptLenPass
    : impl::PrintLargestPromptLenBase<PrintLargestPromptLenPass> {
  using PrintLargestPromptLenBase::PrintLargestPromptLenBase;

  void runOnOperation() override {
    ModuleOp module = getOperation();
    FailureOr<PaddingSide> parsed = parsePaddingSide(module.getLoc(), side);
    if (failed(parsed))
      return signalPassFailure();
    auto prompt = findLargestPrompt(module, target, *parsed);
    if (failed(prompt))
      return signalPassFailure();
    std::string device = (*targetOf(module, target))->name;
    if (failed(writeReport(module, outputFile, describe(*prompt, device))))
      signalPassFailure();
    markAllAnalysesPreserved();
  }
};

} // namespace
} // namespace npu
