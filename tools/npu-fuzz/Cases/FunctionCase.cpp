// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception

#include "npu-fuzz/Cases/FunctionCase.h"

#include "npu-fuzz/Cases/AssignCase.h"
#include "npu-fuzz/Cases/BodyCase.h"
#include "npu-fuzz/Cases/EditTileProgram.h"
#include "npu-fuzz/Cases/PromptCase.h"
#include "npu-fuzz/Cases/RunRecipe.h"
#include "npu-fuzz/Cases/ScratchpadCase.h"
#include "npu-fuzz/Cases/Session.h"
#include "npu-fuzz/Cases/SpoilSum.h"
#include "npu-fuzz/Cases/TosaCase.h"

#include "npu-fuzz/Recipes/FuzzExtension.h"
#include "npu/Conversion/LowerToTiles/Passes.h"
#include "npu/Dialect/NPU/Transforms/Legalize/Passes.h"
#include "npu/Dialect/NPU/Transforms/Verify/Passes.h"
#include "npu/Execution/Compare/RunAndCompare.h"
#include "npu/Execution/Jit/CompiledFunction.h"
#include "npu/Execution/Jit/ToExecutable.h"
#include "npu/ExternalModels/RegisterAll.h"

#include "mlir/IR/Diagnostics.h"
#include "mlir/IR/MLIRContext.h"
#include "mlir/IR/Verifier.h"
#include "mlir/Parser/Parser.h"
#include "mlir/Pass/PassManager.h"
#include "llvm/Support/raw_ostream.h"

#include <fmt/format.h>

using namespace mlir;

namespace npu {
namespace {

/// Whether the diagnostics are those of padding that refuses what it cannot do:
/// at run-time lengths it cannot do everything, and it cannot leave a mask out
/// where there is none.
bool isExpectedRefusal(const Session &session, const PromptCase &prompt) {
  if (prompt.padding && prompt.padding->withoutMask >= 0 &&
      session.find(RefusalKind::NoSuchMask))
    return true;
  return !prompt.lengths.empty() &&
         (session.find(RefusalKind::NotPadded) ||
          session.find(RefusalKind::PaddingConflicts));
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

/// Whether float sums may be split, because the reference can add up in the
/// same parts. It cannot where a prompt is padded in front: parts then begin
/// elsewhere at every length.
bool maySplitReductions(const Recipe &recipe, const PromptCase &prompt) {
  return recipe.exact || !prompt.padding;
}

/// Runs a tile program with one edit beside the original.
CaseResult runEdited(const Session &session, ModuleOp program,
                     ModuleOp original, const Recipe &recipe,
                     const FunctionCaseOptions &options) {
  std::string edit = editTileProgram(program, options.seed);
  if (edit.empty())
    return {Outcome::Fine, "nothing to edit"};
  if (failed(verify(program)))
    return {Outcome::Fine, kEditIsMalformed, kEditIsMalformed};
  PassManager passes(program.getContext());
  passes.addPass(createVerifyTileProgram());
  if (failed(passes.run(program)))
    return {Outcome::Fine, kEditIsRefused, kEditIsRefused};
  CaseResult result = runAgainst(session, program, original, recipe, {},
                                 options, "edit: " + edit + "\n");
  if (result.outcome == Outcome::Refused)
    return {Outcome::Fine, kEditIsRefused, kEditIsRefused};
  return result;
}

} // namespace

CaseResult runFunctionCase(const Recipe &recipe,
                           const FunctionCaseOptions &options) {
  if (recipe.prompt)
    return runBodyCase(recipe, options);
  if (options.scratchpads)
    return runScratchpadCase(recipe);
  if (recipe.tosa)
    return runTosaCase(recipe, options);
  if (recipe.assign)
    return runAssignCase(recipe, options);
  Session session;
  PromptCase prompt;
  auto original = makeFunction(recipe, options, session.context, prompt);
  if (!original)
    return session.refused("parsing");
  OwningOpRef<ModuleOp> module = original->clone();
  bool splitReductions = maySplitReductions(recipe, prompt);
  if (failed(legalize(*module, prompt, splitReductions)))
    return isExpectedRefusal(session, prompt) ? CaseResult()
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
    if (options.tileEdits)
      return runEdited(session, *module, *original, recipe, options);
    if (options.dropTransfer)
      dropOneTransfer(*module, options.seed);
  }
  return runAgainst(session, *module, *original, recipe, std::move(run),
                    options, spoiled);
}

std::string toText(const Recipe &recipe) {
  MLIRContext context(MLIRContext::Threading::DISABLED);
  context.loadDialect<NPUDialect>();
  return toText(recipe, context);
}

std::string toText(const Recipe &recipe, const FunctionCaseOptions &options,
                   CaseCommands &commands) {
  if (recipe.prompt) {
    commands = commandsOfBody(recipe, options);
    return toText(recipe);
  }
  Session session;
  PromptCase prompt;
  auto module = makeFunction(recipe, options, session.context, prompt);
  commands.legalize =
      recipe.tosa     ? tosaCommand(*recipe.assign)
      : recipe.assign ? assignCommand(*recipe.assign)
                      : pipelineOf(prompt, maySplitReductions(recipe, prompt));
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
