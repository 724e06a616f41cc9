// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// npu-print-largest-prompt-len: the longest prompt whose padded program fits a
// target's scratchpads, found by compiling.

#include "npu/Analysis/TargetOf.h"
#include "npu/Conversion/Passes.h"
#include "npu/Conversion/TilesToLLVM/Passes.h"
#include "npu/Dialect/NPU/Transforms/PadToMaxPromptLen.h"
#include "npu/Dialect/NPU/Transforms/Passes.h"
#include "npu/Support/Report.h"

#include "mlir/Pass/PassManager.h"

#include <fmt/format.h>

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
    auto limits = targetOf(module, target);
    FailureOr<PaddingSide> parsed = parsePaddingSide(module.getLoc(), side);
    if (failed(limits) || failed(parsed))
      return signalPassFailure();
    if (!*limits) {
      module.emitError()
          << "expected a target whose scratchpads count (target=, "
             "or in the module), got none";
      return signalPassFailure();
    }
    PadOptions options;
    options.side = *parsed;
    options.staticSignature = true;
    options.maxLength = mostConsidered;
    FailureOr<PromptFunctions> prompts = findPrompts(module, options);
    if (failed(prompts))
      return signalPassFailure();
    // Shorter than its prompt no function can be.
    int64_t shortest = 1;
    for (auto &[function, prompt] : *prompts)
      shortest = std::max(shortest, prompt.length.value_or(1));
    options.maxLength = shortest;
    // Whatever stands in the way other than memory is said once.
    if (failed(compile(options, /*withLimits=*/false)))
      return signalPassFailure();
    int64_t largest = search(options, shortest);
    if (failed(writeReport(module, outputFile,
                           describe((*limits)->name, shortest, largest))))
      signalPassFailure();
    markAllAnalysesPreserved();
  }

private:
  static constexpr int64_t mostConsidered = int64_t{1} << 20;

  LogicalResult compile(const PadOptions &options, bool withLimits) {
    OwningOpRef<ModuleOp> module = getOperation().clone();
    if (failed(padToMaxPromptLen(*module, options)))
      return failure();
    PassManager passes(&getContext());
    passes.addPass(createLegalizeDistributions());
    passes.addPass(createLowerToTiles());
    PlanScratchpadOptions plan;
    if (withLimits)
      plan.target = target;
    else
      (*module)->removeAttr("dlti.target_system_spec");
    buildTensorsToBuffers(passes, plan);
    return passes.run(*module);
  }

  bool fits(PadOptions options, int64_t length) {
    ScopedDiagnosticHandler silence(&getContext(),
                                    [](Diagnostic &) { return success(); });
    options.maxLength = length;
    return succeeded(compile(options, /*withLimits=*/true));
  }

  /// 0 where not even the shortest fits.
  int64_t search(const PadOptions &options, int64_t shortest) {
    if (!fits(options, shortest))
      return 0;
    int64_t low = shortest, high = shortest;
    while (high < mostConsidered) {
      high = std::min(2 * high, mostConsidered);
      if (!fits(options, high))
        break;
      low = high;
    }
    // `low` fits; `high` does not, unless it is all that is considered.
    while (high - low > 1) {
      int64_t middle = low + (high - low) / 2;
      (fits(options, middle) ? low : high) = middle;
    }
    return low;
  }

  static std::string describe(const std::string &target, int64_t shortest,
                              int64_t largest) {
    if (largest == 0)
      return fmt::format("no prompt fits the scratchpads of {}: {} tokens are "
                         "too many already\n",
                         target, shortest);
    if (largest == mostConsidered)
      return fmt::format("prompts of {} tokens and more fit the scratchpads of "
                         "{}\n",
                         largest, target);
    return fmt::format("the largest prompt that fits the scratchpads of {} has "
                       "{} tokens\n",
                       target, largest);
  }
};

} // namespace
} // namespace npu
