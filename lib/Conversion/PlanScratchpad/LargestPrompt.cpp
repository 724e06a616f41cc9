// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception

#include "LargestPrompt.h"
#include "npu/Analysis/TargetOf.h"
#include "npu/Conversion/ElementwiseToLinalg.h"
#include "npu/Conversion/PlanScratchpad/Lowering.h"
#include "npu/Dialect/NPU/Transforms/Assign/Passes.h"
#include "npu/Dialect/NPU/Transforms/Legalize/Passes.h"
#include "npu/Dialect/NPU/Transforms/Steps/Passes.h"
#include "npu/Preprocess/Fusion/Passes.h"
#include "npu/Preprocess/Kernels/Passes.h"
#include "npu/Preprocess/Padding/PadToMaxPromptLen.h"
#include "npu/Support/ParseModule.h"

#include "mlir/Dialect/Func/IR/FuncOps.h"
#include "mlir/Dialect/Linalg/Passes.h"
#include "mlir/Pass/PassManager.h"
#include "mlir/Support/FileUtilities.h"
#include "llvm/Support/SourceMgr.h"

#include <fmt/format.h>

using namespace mlir;

namespace npu {
namespace {

/// Compiles copies of a module at given prompt lengths. A module without
/// layouts gets those that npu-compile would give it: nothing of it would be in
/// a scratchpad otherwise.
class Trial {
public:
  Trial(ModuleOp module, const std::string &target, const PadOptions &options)
      : module(module), target(target), options(options),
        assigns(phaseOf(module) < CompilePhase::Legal) {}

  LogicalResult compile(int64_t length, bool withLimits) {
    OwningOpRef<ModuleOp> copy = module.clone();
    options.maxLength = length;
    if (failed(padToMaxPromptLen(*copy, options)))
      return failure();
    PassManager passes(module.getContext());
    LegalizeDistributionsOptions legal;
    legal.quiet = true;
    AssignDistributionsOptions assignment;
    LoweringOptions lowering;
    if (withLimits)
      assignment.target = lowering.plan.target = target;
    else
      (*copy)->removeAttr("dlti.target_system_spec");
    if (assigns && withLimits) {
      // Operations of linalg may run in steps.
      elementwiseWithLayoutsToLinalg(*copy);
      passes.addNestedPass<func::FuncOp>(
          createConvertElementwiseToLinalgPass());
      passes.addPass(createSelectKernels({target, /*kernels=*/""}));
      passes.addPass(createFuseElementwise({target}));
      passes.addPass(createAssignDistributions(assignment));
      passes.addPass(createRunInSteps());
    }
    passes.addPass(createLegalizeDistributions(legal));
    buildLowering(passes, CompilePhase::Legal, CompilePhase::Scratchpad,
                  lowering);
    return passes.run(*copy);
  }

  bool fits(int64_t length) { return whyNot(length).empty(); }

  /// The first error at that length; empty where it compiles.
  std::string whyNot(int64_t length) {
    std::string why;
    ScopedDiagnosticHandler reader(
        module.getContext(), [&](Diagnostic &diagnostic) {
          if (why.empty() &&
              diagnostic.getSeverity() == DiagnosticSeverity::Error)
            why = diagnostic.str();
          return success();
        });
    return succeeded(compile(length, /*withLimits=*/true)) ? "" : why;
  }

private:
  ModuleOp module;
  const std::string &target;
  PadOptions options;
  bool assigns;
};

int64_t search(Trial &trial, int64_t shortest) {
  if (!trial.fits(shortest))
    return 0;
  constexpr int64_t most = LargestPrompt::maxConsidered;
  int64_t low = shortest, high = shortest;
  while (high < most) {
    high = std::min(2 * high, most);
    if (!trial.fits(high))
      break;
    low = high;
  }
  // Invariant: `low` fits; `high` does not, unless it is the largest length
  // that is considered.
  while (high - low > 1) {
    int64_t middle = low + (high - low) / 2;
    (trial.fits(middle) ? low : high) = middle;
  }
  return low;
}

} // namespace

FailureOr<LargestPrompt> findLargestPrompt(ModuleOp module,
                                           const std::string &target,
                                           PaddingSide side) {
  auto limits = targetOf(module, target);
  if (failed(limits))
    return failure();
  if (!*limits)
    return module.emitError()
           << "expected a target whose scratchpads count (target=, or in the "
              "module), got none";
  PadOptions options;
  options.side = side;
  options.staticSignature = true;
  options.maxLength = LargestPrompt::maxConsidered;
  FailureOr<PromptFunctions> prompts = findPrompts(module, options);
  if (failed(prompts))
    return failure();
  LargestPrompt result;
  for (auto &[function, prompt] : *prompts)
    result.shortest = std::max(result.shortest, prompt.length.value_or(1));
  Trial trial(module, target, options);
  // Report an error other than a lack of memory once, before the search.
  if (failed(trial.compile(result.shortest, /*withLimits=*/false)))
    return failure();
  result.length = search(trial, result.shortest);
  if (result.length < LargestPrompt::maxConsidered)
    result.limit = trial.whyNot(std::max(result.length + 1, result.shortest));
  return result;
}

FailureOr<LargestPrompt> findLargestPromptOf(StringRef file, Operation *asker,
                                             const std::string &target,
                                             PaddingSide side) {
  std::string why;
  std::unique_ptr<llvm::MemoryBuffer> buffer = openInputFile(file, &why);
  if (!buffer)
    return asker->emitError() << why;
  // Use a new context, because the asker's may be in use by several threads.
  MLIRContext context(asker->getContext()->getDialectRegistry());
  llvm::SourceMgr sources;
  SourceMgrDiagnosticHandler handler(sources, &context);
  OwningOpRef<ModuleOp> module =
      parseModule(std::move(buffer), sources, &context);
  if (!module)
    return failure();
  return findLargestPrompt(*module, target, side);
}

std::string describe(const LargestPrompt &prompt, const Target &target) {
  std::string text;
  if (prompt.length == 0)
    text = fmt::format("no prompt fits the scratchpads of {}: {} tokens are "
                       "too many already\n",
                       target.name, prompt.shortest);
  else if (prompt.length == LargestPrompt::maxConsidered)
    text =
        fmt::format("prompts of {} tokens and more fit the scratchpads of {}\n",
                    prompt.length, target.name);
  else
    text = fmt::format(
        "the largest prompt that fits the scratchpads of {} has {} tokens\n",
        target.name, prompt.length);
  if (!prompt.limit.empty())
    text += fmt::format("one more is limited by: {}\n", prompt.limit);
  if (target.ddrBytes == 0)
    text += fmt::format("how much DDR {} has is not known (npu.ddr_bytes), and "
                        "limits nothing\n",
                        target.name);
  return text;
}

} // namespace npu
