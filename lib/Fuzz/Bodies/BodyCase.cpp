// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception

#include "npu/Fuzz/Bodies/BodyCase.h"

#include "../Cases/PromptCase.h"

#include "npu/Dialect/NPU/Transforms/Chunks/Passes.h"
#include "npu/Execution/Compare/RunAndCompare.h"
#include "npu/Execution/Jit/CompiledFunction.h"
#include "npu/ExternalModels/RegisterAll.h"

#include "mlir/IR/Diagnostics.h"
#include "mlir/IR/MLIRContext.h"
#include "mlir/Parser/Parser.h"
#include "mlir/Pass/PassManager.h"
#include "llvm/Support/raw_ostream.h"

#include <fmt/format.h>

#include <random>

using namespace mlir;

namespace npu {
namespace {

/// How a case is rewritten and run, which depends on its seed alone.
struct BodyPlan {
  PadOptions padding;
  int64_t chunkLength = 0;
  RunOptions run;
};

BodyPlan planFor(const BodyRecipe &recipe, const FunctionCaseOptions &options) {
  std::mt19937_64 random(options.seed);
  BodyPlan plan;
  plan.padding.maxLength = recipe.longest;
  plan.padding.side = random() % 2 ? PaddingSide::Left : PaddingSide::Right;
  plan.padding.poison = true;
  // Special inputs are there to spread.
  plan.run.allowNonFinite = true;
  if (options.dropMask)
    plan.padding.withoutMask = 0;
  plan.chunkLength = 1 + static_cast<int64_t>(random() % 5);
  constexpr InputKind kKinds[] = {InputKind::Special, InputKind::Special,
                                  InputKind::Random, InputKind::Integers};
  plan.run.inputs = kKinds[random() % 4];
  // Generate inputs for which the assumption about rows and caches holds.
  if (recipe.prefill && recipe.assumesFinite)
    plan.run.inputs = random() % 2 ? InputKind::Random : InputKind::Integers;
  plan.run.seed = options.seed;
  plan.run.optLevel = options.optLevel;
  for (int64_t length = 1; length <= recipe.longest; ++length)
    plan.run.lengths.push_back(length);
  return plan;
}

LogicalResult cutIntoChunks(ModuleOp module, const BodyPlan &plan,
                            bool assumeFinite) {
  ChunkPrefillOptions options;
  options.chunkLen = plan.chunkLength;
  options.side = plan.padding.side == PaddingSide::Left ? "left" : "right";
  options.assumeFinite = assumeFinite;
  options.poison = true;
  PassManager passes(module.getContext());
  passes.addPass(createChunkPrefill(options));
  return passes.run(module);
}

/// Whether an error is one by which padding or chunking refuses what it cannot
/// do.
bool isExpectedRefusal(StringRef said) {
  return said.contains("cannot be padded to max-prompt-len") ||
         said.contains("conflicting padding") ||
         said.contains("cannot be run in chunks") ||
         said.contains("expected without-mask below");
}

} // namespace

CaseResult runBodyCase(const BodyRecipe &recipe,
                       const FunctionCaseOptions &options) {
  DialectRegistry registry;
  registerDialects(registry);
  registerExecutionInterfaces(registry);
  MLIRContext context(registry, MLIRContext::Threading::DISABLED);
  context.printOpOnDiagnostic(false);
  context.loadDialect<NPUDialect>();
  std::string said;
  ScopedDiagnosticHandler handler(&context, [&](Diagnostic &diagnostic) {
    if (diagnostic.getSeverity() == DiagnosticSeverity::Remark)
      return success();
    llvm::raw_string_ostream(said)
        << (diagnostic.getSeverity() == DiagnosticSeverity::Error ? "error: "
                                                                  : "note: ")
        << diagnostic << "\n";
    return success();
  });
  auto refused = [&](const char *where) -> CaseResult {
    return {Outcome::Refused, fmt::format("{}: {}", where, said)};
  };
  auto original = parseSourceString<ModuleOp>(toText(recipe), &context);
  if (!original)
    return refused("parsing");
  BodyPlan plan = planFor(recipe, options);
  OwningOpRef<ModuleOp> module = original->clone();
  if (failed(recipe.prefill ? cutIntoChunks(*module, plan, recipe.assumesFinite)
                            : pad(*module, plan.padding))) {
    if (isExpectedRefusal(said))
      return {Outcome::Fine, said};
    return refused(recipe.prefill ? "cutting into chunks" : "padding");
  }
  std::string report;
  llvm::raw_string_ostream stream(report);
  if (succeeded(runAndCompare(std::move(module), std::move(original), plan.run,
                              stream)))
    return {};
  if (report.empty())
    return refused("compiling and running");
  return {Outcome::Different, report};
}

std::string toText(const BodyRecipe &recipe, const FunctionCaseOptions &options,
                   CaseCommands &commands) {
  BodyPlan plan = planFor(recipe, options);
  PromptCase prompt;
  prompt.padding = plan.padding;
  const char *side = plan.padding.side == PaddingSide::Left ? " side=left" : "";
  commands.legalize =
      recipe.prefill
          ? fmt::format("--npu-chunk-prefill='chunk-len={}{} poison{}'",
                        plan.chunkLength, side,
                        recipe.assumesFinite ? "" : " assume-finite=false")
          : fmt::format("--npu-pad-to-max-prompt-len='max-prompt-len={}{} "
                        "poison{}'",
                        plan.padding.maxLength, side,
                        options.dropMask ? " without-mask=0" : "");
  commands.run = fmt::format("--inputs={} --seed={} -O{} --length=1..{}",
                             nameOf(plan.run.inputs), options.seed,
                             options.optLevel, recipe.longest);
  return toText(recipe);
}

} // namespace npu
