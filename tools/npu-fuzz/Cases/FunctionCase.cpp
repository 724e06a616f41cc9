// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// A function with layouts, with or without a prompt, or a graph of TOSA, is
// legalized, lowered, run and compared with the function as it was. Different
// is also a function that a second legalization changes, and an edit of a tile
// program that is accepted and changes a result.

#include "npu-fuzz/Cases/BreakProgram.h"
#include "npu-fuzz/Cases/CaseRun.h"

#include "npu/Execution/Jit/ToExecutable.h"

#include "mlir/IR/Verifier.h"

using namespace mlir;

namespace npu {

/// Runs a tile program with one edit beside the original.
static CaseResult runEdited(const Session &session, ModuleOp program,
                            ModuleOp original, const CaseRun &how,
                            const CaseOptions &options) {
  std::string edit = editTileProgram(program, options.seed);
  if (edit.empty())
    return {Outcome::Fine, "nothing to edit"};
  if (failed(verify(program)))
    return {Outcome::Fine, kEditIsMalformed, kEditIsMalformed};
  if (failed(run(program, {"npu-verify-tile-program"})))
    return {Outcome::Fine, kEditIsRefused, kEditIsRefused};
  CaseResult result = runAgainst(session, program, original, how, options,
                                 "edit: " + edit + "\n");
  if (result.outcome == Outcome::Refused)
    return {Outcome::Fine, kEditIsRefused, kEditIsRefused};
  return result;
}

CaseResult runFunctionCase(const MadeFunction &function,
                           const CaseOptions &options) {
  Session session;
  CaseRun how(function, options);
  OwningOpRef<ModuleOp> original, module;
  if (auto ended = legalizeCase(session, function, how, original, module))
    return *ended;
  if (auto wrong = checkLegal(session, *module))
    return *wrong;
  std::string spoiled;
  if (options.broken == Break::SpoilSum) {
    spoiled = spoilSplitSum(*module, options.seed);
    if (spoiled.empty())
      return {Outcome::Fine, "no float sum is split"};
    spoiled += "\n";
  }
  // A function of run-time length is lowered later, when memory for the longest
  // prompt is chosen.
  if (how.run.lengths.empty() && failed(toExecutable(*module)))
    return session.refused("lowering to tiles");
  if (options.mode == CaseMode::TileEdits)
    return runEdited(session, *module, *original, how, options);
  return runAgainst(session, *module, *original, how, options, spoiled);
}

} // namespace npu
