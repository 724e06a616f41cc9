// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// What regions compute: a function is padded or cut into chunks, run at every
// length and compared with the original function. An error by which padding or
// chunking refuses what it cannot do is the outcome Fine, with a message; any
// other error is Refused.

#include "npu-fuzz/Cases/Padding.h"

#include "npu/Execution/Compare/RunAndCompare.h"
#include "npu/Preprocess/Chunks/Passes.h"
#include "npu/Support/RefusalKind.h"

#include "mlir/Dialect/ControlFlow/IR/ControlFlowOps.h"
#include "mlir/Dialect/Func/IR/FuncOps.h"
#include "mlir/IR/Matchers.h"
#include "mlir/Pass/PassManager.h"
#include "mlir/Transforms/Passes.h"
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
  /// Of npu-compile: the lengths that prompts are padded to, and the tiles.
  std::string lengths;
  int64_t tiles = 1;
  const char *strategy = "";
  RunOptions run;
};

BodyPlan planFor(const MadeFunction &function, const CaseOptions &options) {
  std::mt19937_64 random(options.seed);
  BodyPlan plan;
  plan.padding.maxLength = function.prompt->longest;
  plan.padding.side = random() % 2 ? PaddingSide::Left : PaddingSide::Right;
  plan.padding.poison = true;
  // Special inputs are there to spread.
  plan.run.allowNonFinite = true;
  if ((options.broken == Break::DropMask))
    plan.padding.withoutMask = 0;
  plan.chunkLength = 1 + static_cast<int64_t>(random() % 5);
  constexpr InputKind kKinds[] = {InputKind::Special, InputKind::Special,
                                  InputKind::Random, InputKind::Integers};
  plan.run.inputs = kKinds[random() % 4];
  // Generate inputs for which the assumption about rows and caches holds.
  if (function.prompt->prefill && function.prompt->assumesFinite)
    plan.run.inputs = random() % 2 ? InputKind::Random : InputKind::Integers;
  plan.run.seed = options.seed;
  plan.run.optLevel = options.optLevel;
  for (int64_t length = 1; length <= function.prompt->longest; ++length)
    plan.run.lengths.push_back(length);
  plan.lengths = std::to_string(function.prompt->longest);
  if (function.prompt->longest > 2 && random() % 3 == 0)
    plan.lengths =
        std::to_string(function.prompt->longest / 2) + "," + plan.lengths;
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
  return run(module, "npu-compile{" + compilationOf(plan, phase) + "}");
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
  return run(module, createChunkPrefill(options));
}

/// Whether an error is one by which padding or chunking refuses what it cannot
/// do. Padding leaves tensors dynamic whose extents are no expressions of the
/// length; such a function runs, and npu-compile refuses it.
bool isExpectedRefusal(const Session &session, bool isCompiled) {
  return (isCompiled && session.find(RefusalKind::DynamicShape)) ||
         session.hasAny({RefusalKind::NotPadded, RefusalKind::PaddingConflicts,
                         RefusalKind::NotChunked, RefusalKind::NoSuchMask});
}

} // namespace

CaseResult runBodyCase(const MadeFunction &function,
                       const CaseOptions &options) {
  Session session;
  auto original = session.parse(function.text);
  if (!original)
    return session.refused("parsing");
  BodyPlan plan = planFor(function, options);
  OwningOpRef<ModuleOp> module = original->clone();
  bool hasOther = function.prompt->lastExtent != LastExtent::Same;
  bool isCompiled = function.prompt->isCompiled && !hasOther &&
                    !(options.broken == Break::DropMask);
  LogicalResult rewritten =
      function.prompt->prefill
          ? cutIntoChunks(*module, plan, function.prompt->assumesFinite)
      : isCompiled ? compile(*module, plan, "legal")
                   : pad(*module, plan.padding);
  if (hasOther && function.prompt->lastExtent == LastExtent::Named)
    return failed(rewritten) && session.find(RefusalKind::SeveralPrompts)
               ? CaseResult{Outcome::Fine, session.text().str()}
               : CaseResult{Outcome::Different,
                            "two names are taken for one prompt: " +
                                session.text().str()};
  if (failed(rewritten)) {
    if (isExpectedRefusal(session, isCompiled))
      return {Outcome::Fine, session.text().str()};
    return session.refused(function.prompt->prefill ? "cutting into chunks"
                           : isCompiled             ? "compiling"
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
      return session.refused("compiling to buffers");
  }
  std::string report;
  llvm::raw_string_ostream stream(report);
  if (succeeded(runAndCompare(std::move(module), std::move(original), plan.run,
                              stream)))
    return {};
  if (report.empty())
    return session.refused("compiling and running");
  return {Outcome::Different, report};
}

CaseCommands commandsOfBody(const MadeFunction &function,
                            const CaseOptions &options) {
  BodyPlan plan = planFor(function, options);
  const PromptTask &task = *function.prompt;
  const char *side = plan.padding.side == PaddingSide::Left ? " side=left" : "";
  bool isCompiled = task.isCompiled && !(options.broken == Break::DropMask) &&
                    task.lastExtent == LastExtent::Same;
  CaseCommands commands;
  commands.legalize =
      isCompiled
          ? fmt::format("--npu-compile='{}'", compilationOf(plan, "legal"))
      : task.prefill
          ? fmt::format("--npu-chunk-prefill='chunk-len={}{} poison{}'",
                        plan.chunkLength, side,
                        task.assumesFinite ? "" : " assume-finite=false")
          : fmt::format("--npu-pad-to-max-prompt-len='max-prompt-len={}{} "
                        "poison{}'",
                        plan.padding.maxLength, side,
                        (options.broken == Break::DropMask) ? " without-mask=0"
                                                            : "");
  commands.run = fmt::format("--inputs={} --seed={} -O{} --length=1..{}",
                             nameOf(plan.run.inputs), options.seed,
                             options.optLevel, task.longest);
  return commands;
}

} // namespace npu
