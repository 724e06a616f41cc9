// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception

#include "npu/Fuzz/Cases/FunctionCase.h"

#include "PromptCase.h"
#include "SpoilSum.h"

#include "npu/Dialect/NPU/Transforms/Legalize/Passes.h"
#include "npu/Dialect/NPU/Transforms/Verify/Passes.h"
#include "npu/Execution/Compare/RunAndCompare.h"
#include "npu/Execution/Jit/CompiledFunction.h"
#include "npu/Execution/Jit/ToExecutable.h"
#include "npu/ExternalModels/RegisterAll.h"
#include "npu/Fuzz/Recipes/FuzzExtension.h"

#include "mlir/IR/Diagnostics.h"
#include "mlir/IR/MLIRContext.h"
#include "mlir/Parser/Parser.h"
#include "mlir/Pass/PassManager.h"
#include "llvm/Support/raw_ostream.h"

#include <fmt/format.h>

using namespace mlir;

namespace npu {
namespace {

/// A context, and the diagnostics in it.
class Session {
public:
  Session()
      : context(registry(), MLIRContext::Threading::DISABLED),
        handler(&context, [this](Diagnostic &diagnostic) {
          llvm::raw_string_ostream stream(said);
          stream << (diagnostic.getSeverity() == DiagnosticSeverity::Error
                         ? "error: "
                         : "note: ")
                 << diagnostic << "\n";
          return success();
        }) {
    context.printOpOnDiagnostic(false);
  }

  CaseResult refused(const std::string &where) const {
    return {Outcome::Refused, where + ": " + said};
  }

  /// Whether the diagnostics are those of padding that refuses what it cannot
  /// do: at run-time lengths it cannot do everything, and it cannot leave a
  /// mask out where there is none.
  bool isExpectedRefusal(const PromptCase &prompt) const {
    StringRef text = said;
    if (prompt.padding && prompt.padding->withoutMask >= 0 &&
        text.contains("expected without-mask below"))
      return true;
    return !prompt.lengths.empty() &&
           (text.contains("cannot be padded to max-prompt-len") ||
            text.contains("conflicting padding"));
  }

private:
  static DialectRegistry registry() {
    DialectRegistry registry;
    registerDialects(registry);
    registerExecutionInterfaces(registry);
    if (fuzzExtension().registerMore)
      fuzzExtension().registerMore(registry);
    return registry;
  }

public:
  MLIRContext context;

private:
  std::string said;
  ScopedDiagnosticHandler handler;
};

std::string print(ModuleOp module) {
  std::string text;
  llvm::raw_string_ostream stream(text);
  module->print(stream);
  return text;
}

LogicalResult legalize(ModuleOp module, const PromptCase &prompt,
                       bool splitReductions) {
  LegalizeDistributionsOptions options;
  options.splitReductions = splitReductions;
  if (prompt.padsFirst()) {
    if (failed(pad(module, *prompt.padding)))
      return failure();
    if (prompt.tiles > 1)
      splitOverTiles(module, prompt.padding->maxLength, prompt.tiles);
  } else if (prompt.padding) {
    options.maxPromptLen = {prompt.padding->maxLength};
    options.side = prompt.padding->side == PaddingSide::Left ? "left" : "right";
    options.poison = prompt.padding->poison;
  }
  PassManager passes(module.getContext());
  passes.addPass(createLegalizeDistributions(options));
  return passes.run(module);
}

LogicalResult verifyStrictly(ModuleOp module) {
  PassManager passes(module.getContext());
  VerifyDistributionsOptions options;
  options.strict = true;
  passes.addPass(createVerifyDistributions(options));
  return passes.run(module);
}

/// Erases one of the transfers that move elements, chosen by the seed.
void dropOneTransfer(ModuleOp program, uint64_t seed) {
  SmallVector<TransferOp> transfers;
  program.walk([&](TransferOp transfer) { transfers.push_back(transfer); });
  if (transfers.empty())
    return;
  TransferOp dropped = transfers[seed % transfers.size()];
  dropped->replaceAllUsesWith(dropped.getDests());
  dropped.erase();
}

/// Parses the original function; null after a diagnostic.
OwningOpRef<ModuleOp> makeFunction(const Recipe &recipe,
                                   const FunctionCaseOptions &options,
                                   MLIRContext &context, PromptCase &prompt) {
  context.loadDialect<NPUDialect>();
  if (options.prompt) {
    auto module = withPrompt(recipe, options.seed, context, prompt);
    if (prompt.padding && options.dropMask)
      prompt.padding->withoutMask = 0;
    return module;
  }
  return parseSourceString<ModuleOp>(toText(recipe, context), &context);
}

InputKind inputKindOf(const Recipe &recipe) {
  return recipe.exact     ? InputKind::Integers
         : recipe.special ? InputKind::Special
                          : InputKind::Random;
}

/// The number of elements of the largest tensor.
int64_t largestValue(const Recipe &recipe) {
  int64_t most = 0;
  std::vector<ValueFacts> facts = *inferFacts(recipe);
  for (const ValueFacts &value : facts)
    most = std::max(most, Box::whole(value.shape).volume());
  return most;
}

/// Whether float sums may be split, because the reference can add up in the
/// same parts. It cannot where a prompt is padded in front: parts then begin
/// elsewhere at every length.
bool maySplitReductions(const Recipe &recipe, const PromptCase &prompt) {
  return recipe.exact || !prompt.padding;
}

} // namespace

CaseResult runFunctionCase(const Recipe &recipe,
                           const FunctionCaseOptions &options) {
  Session session;
  PromptCase prompt;
  auto original = makeFunction(recipe, options, session.context, prompt);
  if (!original)
    return session.refused("parsing");
  OwningOpRef<ModuleOp> module = original->clone();
  bool splitReductions = maySplitReductions(recipe, prompt);
  if (failed(legalize(*module, prompt, splitReductions)))
    return session.isExpectedRefusal(prompt) ? CaseResult()
                                             : session.refused("legalization");
  if (failed(verifyStrictly(*module)))
    return session.refused("strict verification after legalization");
  OwningOpRef<ModuleOp> again = module->clone();
  if (failed(legalize(*again, {}, splitReductions)))
    return session.refused("second legalization");
  if (print(*again) != print(*module))
    return {Outcome::Different, "a second legalization changes the function"};
  std::string spoiled;
  if (options.spoilSum) {
    spoiled = spoilSplitSum(*module, options.seed);
    if (spoiled.empty())
      return {Outcome::Fine, "no float sum is split"};
    spoiled += "\n";
  }
  RunOptions run;
  run.lengths = prompt.lengths;
  // A function of run-time length is lowered later, when memory for the longest
  // prompt is chosen.
  if (run.lengths.empty()) {
    if (failed(toExecutable(*module)))
      return session.refused("lowering to tiles");
    if (options.dropTransfer)
      dropOneTransfer(*module, options.seed);
  }
  run.inputs = inputKindOf(recipe);
  run.seed = options.seed;
  // Special inputs are there to spread.
  run.allowNonFinite = true;
  run.optLevel = options.optLevel;
  std::string report;
  llvm::raw_string_ostream stream(report);
  if (recipe.parallelTiles)
    run.threads = TileThreads::Many;
  // Run large parallel programs several times, because races depend on timing.
  constexpr int64_t kMayTakeTurns = 2000;
  bool mayRace = recipe.parallelTiles && largestValue(recipe) > kMayTakeTurns;
  bool equal = true;
  for (int times = mayRace ? 3 : 1; equal && times > 0; --times)
    equal = succeeded(
        runAndCompare(module->clone(), original->clone(), run, stream));
  if (equal)
    return {};
  if (report.empty())
    return session.refused("compiling and running");
  return {Outcome::Different, spoiled + report};
}

std::string toText(const Recipe &recipe) {
  MLIRContext context(MLIRContext::Threading::DISABLED);
  context.loadDialect<NPUDialect>();
  return toText(recipe, context);
}

std::string toText(const Recipe &recipe, const FunctionCaseOptions &options,
                   CaseCommands &commands) {
  Session session;
  PromptCase prompt;
  auto module = makeFunction(recipe, options, session.context, prompt);
  commands.legalize = pipelineOf(prompt, maySplitReductions(recipe, prompt));
  commands.run =
      fmt::format("--inputs={} --seed={} -O{}", nameOf(inputKindOf(recipe)),
                  options.seed, options.optLevel);
  if (recipe.parallelTiles)
    commands.run += " --tiles=parallel";
  if (!prompt.lengths.empty())
    commands.run += fmt::format(" --length={}..{}", prompt.lengths.front(),
                                prompt.lengths.back());
  // Write the original text, with its names and inline layouts.
  if (!prompt.padding || !module)
    return toText(recipe, session.context);
  return print(*module);
}

} // namespace npu
