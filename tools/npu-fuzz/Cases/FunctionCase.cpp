// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// A function with layouts, with or without a prompt, is legalized, lowered, run
// and compared with the function as it was. Different is also a function that a
// second legalization changes, and an edit of a tile program that is accepted
// and changes a result.

#include "npu-fuzz/Cases/BreakProgram.h"
#include "npu-fuzz/Cases/Padding.h"

#include "npu/Conversion/LowerToTiles/Passes.h"
#include "npu/Dialect/NPU/Transforms/Legalize/Passes.h"
#include "npu/Execution/Jit/ToExecutable.h"

#include "mlir/IR/Verifier.h"

#include <fmt/format.h>

using namespace mlir;

namespace npu {
namespace {

/// Whether the diagnostics are those of padding that refuses what it cannot do:
/// at run-time lengths it cannot do everything, and it cannot leave a mask out
/// where there is none.
bool isExpectedRefusal(const Session &session, const PromptPlan &prompt) {
  if (prompt.padding && prompt.padding->withoutMask >= 0 &&
      session.find(RefusalKind::NoSuchMask))
    return true;
  return !prompt.lengths.empty() &&
         session.hasAny(
             {RefusalKind::NotPadded, RefusalKind::PaddingConflicts});
}

LogicalResult legalize(ModuleOp module, const PromptPlan &prompt,
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
  return run(module, createLegalizeDistributions(options));
}

/// Whether float sums may be split, because the reference can add up in the
/// same parts. It cannot where a prompt is padded in front: parts then begin
/// elsewhere at every length.
bool maySplitReductions(const MadeFunction &function,
                        const PromptPlan &prompt) {
  return function.exact || !prompt.padding;
}

/// Runs a tile program with one edit beside the original.
CaseResult runEdited(const Session &session, ModuleOp program,
                     ModuleOp original, const MadeFunction &function,
                     const CaseOptions &options) {
  std::string edit = editTileProgram(program, options.seed);
  if (edit.empty())
    return {Outcome::Fine, "nothing to edit"};
  if (failed(verify(program)))
    return {Outcome::Fine, kEditIsMalformed, kEditIsMalformed};
  if (failed(run(program, createVerifyTileProgram())))
    return {Outcome::Fine, kEditIsRefused, kEditIsRefused};
  CaseResult result = runAgainst(session, program, original, function, {},
                                 options, "edit: " + edit + "\n");
  if (result.outcome == Outcome::Refused)
    return {Outcome::Fine, kEditIsRefused, kEditIsRefused};
  return result;
}

} // namespace

CaseResult runFunctionCase(const MadeFunction &function,
                           const CaseOptions &options) {
  Session session;
  PromptPlan prompt;
  auto original = withPrompt(session, function, options, prompt);
  if (!original)
    return session.refused("parsing");
  OwningOpRef<ModuleOp> module = original->clone();
  bool splitReductions = maySplitReductions(function, prompt);
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
  if (options.broken == Break::SpoilSum) {
    spoiled = spoilSplitSum(*module, options.seed);
    if (spoiled.empty())
      return {Outcome::Fine, "no float sum is split"};
    spoiled += "\n";
  }
  RunOptions run;
  run.lengths = prompt.lengths;
  // A function of run-time length is lowered later, when memory for the longest
  // prompt is chosen.
  if (run.lengths.empty() && failed(toExecutable(*module)))
    return session.refused("lowering to tiles");
  if (options.mode == CaseMode::TileEdits)
    return runEdited(session, *module, *original, function, options);
  return runAgainst(session, *module, *original, function, std::move(run),
                    options, spoiled);
}

CaseCommands commandsOfFunction(const MadeFunction &function,
                                const CaseOptions &options) {
  Session session;
  PromptPlan prompt;
  withPrompt(session, function, options, prompt);
  CaseCommands commands{
      pipelineOf(prompt, maySplitReductions(function, prompt)),
      runCommand(function, options)};
  if (!prompt.lengths.empty())
    commands.run += fmt::format(" --length={}..{}", prompt.lengths.front(),
                                prompt.lengths.back());
  return commands;
}

} // namespace npu
