// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception

#include "npu-fuzz/Bodies/BodyCase.h"

#include "npu-fuzz/Cases/PromptCase.h"

#include "npu/Conversion/Compile/Pipeline.h"
#include "npu/Execution/Compare/RunAndCompare.h"
#include "npu/Execution/Jit/CompiledFunction.h"
#include "npu/ExternalModels/RegisterAll.h"
#include "npu/Preprocess/Chunks/Passes.h"
#include "npu/Support/RefusalKind.h"

#include "mlir/Dialect/ControlFlow/IR/ControlFlowOps.h"
#include "mlir/Dialect/Func/IR/FuncOps.h"
#include "mlir/IR/Diagnostics.h"
#include "mlir/IR/MLIRContext.h"
#include "mlir/IR/Matchers.h"
#include "mlir/Parser/Parser.h"
#include "mlir/Pass/PassManager.h"
#include "mlir/Pass/PassRegistry.h"
#include "mlir/Transforms/Passes.h"
#include "llvm/Support/raw_ostream.h"

#include <fmt/format.h>

#include <random>
#include <set>

using namespace mlir;

namespace npu {
namespace {

/// How a case is rewritten and run, which depends on its seed alone.
struct BodyPlan {
  PadOptions padding;
  int64_t chunkLength = 0;
  /// Of npu-compile: the lengths that prompts are padded to, and the tiles.
  std::string lengths;
  int64_t tiles = 1;
  const char *strategy = "";
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
  plan.lengths = std::to_string(recipe.longest);
  if (recipe.longest > 2 && random() % 3 == 0)
    plan.lengths = std::to_string(recipe.longest / 2) + "," + plan.lengths;
  plan.tiles = 1 + static_cast<int64_t>(random() % 4);
  constexpr const char *kStrategies[] = {"rows", "greedy", "duplicate"};
  plan.strategy = kStrategies[random() % 3];
  return plan;
}

/// The options of npu-compile, up to `phase`.
std::string compilationOf(const BodyPlan &plan, const char *phase) {
  return fmt::format("max-prompt-len={}{} poison=true tiles={} strategy={} "
                     "split-reductions=false compile-to={}",
                     plan.lengths,
                     plan.padding.side == PaddingSide::Left ? " side=left" : "",
                     plan.tiles, plan.strategy, phase);
}

/// Runs npu-compile up to `phase`.
LogicalResult compile(ModuleOp module, const BodyPlan &plan,
                      const char *phase) {
  static const bool isRegistered = [] {
    registerCompilePipeline();
    return true;
  }();
  PassManager passes(module.getContext());
  if (!isRegistered ||
      failed(parsePassPipeline(
          "npu-compile{" + compilationOf(plan, phase) + "}", passes)))
    return failure();
  return passes.run(module);
}

/// Whether an assertion of the function `caller` fails at every run. Calls are
/// inlined, and what follows from static shapes is folded.
bool callerFails(ModuleOp module) {
  PassManager passes(module.getContext());
  passes.addPass(createInlinerPass());
  passes.addPass(createCanonicalizerPass());
  auto caller = module.lookupSymbol<func::FuncOp>("caller");
  if (!caller || failed(passes.run(module)))
    return false;
  caller = module.lookupSymbol<func::FuncOp>("caller");
  return caller
      .walk([](cf::AssertOp assertion) {
        return matchPattern(assertion.getArg(), m_Zero())
                   ? WalkResult::interrupt()
                   : WalkResult::advance();
      })
      .wasInterrupted();
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

/// The kinds of the errors of a case.
using Kinds = std::set<RefusalKind>;

/// Whether an error is one by which padding or chunking refuses what it cannot
/// do. Padding leaves tensors dynamic whose extents are no expressions of the
/// length; such a function runs, and npu-compile refuses it.
bool isExpectedRefusal(const Kinds &kinds, bool isCompiled) {
  return (isCompiled && kinds.contains(RefusalKind::DynamicShape)) ||
         kinds.contains(RefusalKind::NotPadded) ||
         kinds.contains(RefusalKind::PaddingConflicts) ||
         kinds.contains(RefusalKind::NotChunked) ||
         kinds.contains(RefusalKind::NoSuchMask);
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
  Kinds kinds;
  ScopedDiagnosticHandler handler(&context, [&](Diagnostic &diagnostic) {
    if (diagnostic.getSeverity() == DiagnosticSeverity::Remark)
      return success();
    llvm::raw_string_ostream(said)
        << (diagnostic.getSeverity() == DiagnosticSeverity::Error ? "error: "
                                                                  : "note: ")
        << diagnostic << "\n";
    if (std::optional<RefusalMark> mark = markOf(diagnostic))
      kinds.insert(mark->kind);
    return success();
  });
  auto refused = [&](const char *where) -> CaseResult {
    return {Outcome::Refused, fmt::format("{}: {}", where, said), where};
  };
  auto original = parseSourceString<ModuleOp>(toText(recipe), &context);
  if (!original)
    return refused("parsing");
  BodyPlan plan = planFor(recipe, options);
  OwningOpRef<ModuleOp> module = original->clone();
  bool hasOther =
      recipe.lastExtent != LastExtent::Same && lastOfSeveral(recipe);
  bool isCompiled = recipe.isCompiled && !hasOther && !options.dropMask;
  LogicalResult rewritten =
      recipe.prefill ? cutIntoChunks(*module, plan, recipe.assumesFinite)
      : isCompiled   ? compile(*module, plan, "legal")
                     : pad(*module, plan.padding);
  if (hasOther && recipe.lastExtent == LastExtent::Named)
    return failed(rewritten) && kinds.contains(RefusalKind::SeveralPrompts)
               ? CaseResult{Outcome::Fine, said}
               : CaseResult{Outcome::Different,
                            "two names are taken for one prompt: " + said};
  if (failed(rewritten)) {
    if (isExpectedRefusal(kinds, isCompiled))
      return {Outcome::Fine, said};
    return refused(recipe.prefill ? "cutting into chunks"
                   : isCompiled   ? "compiling"
                                  : "padding");
  }
  if (hasOther)
    return callerFails(*module)
               ? CaseResult{}
               : CaseResult{Outcome::Different,
                            "two extents are taken for one: no assertion "
                            "fails where a caller gives one more"};
  if (isCompiled) {
    OwningOpRef<ModuleOp> planned = original->clone();
    if (failed(compile(*planned, plan, "scratchpad")))
      return refused("compiling to buffers");
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
  bool isCompiled = recipe.isCompiled && !options.dropMask &&
                    recipe.lastExtent == LastExtent::Same;
  commands.legalize =
      isCompiled
          ? fmt::format("--npu-compile='{}'", compilationOf(plan, "legal"))
      : recipe.prefill
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
