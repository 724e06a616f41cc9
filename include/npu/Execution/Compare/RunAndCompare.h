// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// What npu-run does: it runs a function, and a reference beside it.

#ifndef NPU_EXECUTION_COMPARE_RUNANDCOMPARE_H
#define NPU_EXECUTION_COMPARE_RUNANDCOMPARE_H

#include "npu/Artefact/Artefact.h"
#include "npu/Conversion/PlanScratchpad/Lowering.h"
#include "npu/Execution/Compare/CompareTensors.h"
#include "npu/Execution/Jit/CompiledFunction.h"
#include "npu/Execution/Prepare/PromptLengths.h"
#include "npu/Execution/Ranks/RankSession.h"
#include "npu/Host/GenerateInputs.h"

#include "mlir/IR/BuiltinOps.h"
#include "mlir/IR/OwningOpRef.h"
#include "llvm/Support/raw_ostream.h"

namespace npu {

struct RunOptions {
  /// The function to run; empty: the function `mainFunctionOf` chooses.
  std::string entry;
  /// Files to read the inputs from; empty: inputs are generated.
  std::vector<std::string> inputFiles;
  /// Files to compare the results with, in place of a reference; empty: none.
  std::vector<std::string> expectedFiles;
  InputKind inputs = InputKind::Random;
  uint64_t seed = 0;
  Tolerance tolerance;
  /// How hard LLVM optimizes, 0 to 3; nothing: as by default, and in audits as
  /// each unit is worth it.
  std::optional<unsigned> optLevel;
  /// Whether results pass that are mostly NaN or infinite on both sides.
  bool allowNonFinite = false;
  /// How the function's tiles run; the reference has no tiles.
  TileThreads threads = TileThreads::One;
  /// The .npy file that the result is written to; of several results, r.npy
  /// becomes r.0.npy, r.1.npy.
  std::string output;
  /// How often each side runs; with more than one run, the fastest run of each
  /// side is reported.
  unsigned repeat = 1;
  /// The extents of the dynamic dimensions of the function's arguments.
  PromptLengths lengths;
  /// The device string of the command line, if there is one.
  std::optional<std::string> device;
  /// Whether only the first device of the string counts.
  bool strictDevice = false;
  /// Whether to print how the device was chosen, to standard error.
  bool printDevice = false;
  /// Whether an operation that falls back to the host is an error. Follows from
  /// the device.
  bool onNpu = false;
  /// Where the placement report goes, with what was executed: a file, - for
  /// standard output, or empty for no report.
  std::string placementReport;
  /// Whether a function that is a tile program has to pass
  /// npu-verify-tile-program. Only a test that wants to see another result does
  /// without.
  bool verifiesTileProgram = true;
  /// This process among several that run the function's tiles; null: it runs
  /// all of them. The first of them has the reference, compares and prints.
  RankSession *ranks = nullptr;
  /// Options for the scratchpads of the function, not of the reference.
  ScratchpadOptions scratchpad;
};

/// Runs `module` and, unless it is null, `reference` on the same inputs, and
/// prints the outcome to `out`. Fails where a step could not be done (a
/// diagnostic or a line on stderr says which), where results differ by more
/// than the tolerance, or where the comparison shows nothing because a result
/// is mostly NaN or infinite on both sides.
llvm::LogicalResult runAndCompare(mlir::OwningOpRef<mlir::ModuleOp> module,
                                  mlir::OwningOpRef<mlir::ModuleOp> reference,
                                  const RunOptions &options,
                                  llvm::raw_ostream &out);

/// As runAndCompare, with the object code of an artefact, which was read from
/// `file`, instead of a module. Nothing of it is compiled. `context` knows the
/// dialects of tile programs.
llvm::LogicalResult
runArtefactAndCompare(Artefact artefact, const std::string &file,
                      mlir::OwningOpRef<mlir::ModuleOp> reference,
                      mlir::MLIRContext &context, const RunOptions &options,
                      llvm::raw_ostream &out);

} // namespace npu

#endif // NPU_EXECUTION_COMPARE_RUNANDCOMPARE_H
