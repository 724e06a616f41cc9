// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// The programs of one comparison: a function, its reference, and a variant of
// the reference that adds up in the function's parts.

#ifndef NPU_EXECUTION_COMPARE_RUNSIDES_H
#define NPU_EXECUTION_COMPARE_RUNSIDES_H

#include "npu/Analysis/Devices/DeviceTable.h"
#include "npu/Artefact/Artefact.h"
#include "npu/Execution/Compare/ReplaySplitReductions.h"
#include "npu/Execution/Compare/RunAndCompare.h"
#include "npu/Execution/Jit/CompiledFunction.h"

#include <limits>

namespace npu {

/// One program of a comparison: the IR that it was compiled from, the compiled
/// function, and its last results.
struct Side {
  mlir::OwningOpRef<mlir::ModuleOp> program;
  std::unique_ptr<RunnableFunction> function;
  std::vector<HostTensor> results;
  /// The placement report, and what the runs have executed; no record where
  /// nobody asked for a report.
  DeviceTable placement;
  std::unique_ptr<ExecutionRecord> record;
  /// How often the function has run.
  int64_t runs = 0;
  double milliseconds = std::numeric_limits<double>::infinity();

  explicit operator bool() const { return function != nullptr; }
};

/// The function that is searched for the origin of NaN and infinities: the
/// reference, or else the function itself without layouts.
struct Searched {
  mlir::OwningOpRef<mlir::ModuleOp> module;
  /// Why there is no module.
  std::string whyNot;
};

struct Sides {
  /// The name of the function that runs, on every side.
  std::string entry;
  /// Where the function is in its file; nothing for an artefact.
  std::optional<mlir::Location> loc;
  Side own;
  /// The reference; absent where nothing is compared.
  Side reference;
  /// The reference with its sums in the function's parts. Absent where no
  /// reduction was split, or where `whyNoReplay` says why.
  Side replay;
  std::string whyNoReplay;
  /// The split reductions of the function, and the numbers of those whose
  /// rounding share the replay returns after the function's results.
  std::vector<SplitReductionNote> splits;
  std::vector<size_t> measured;
  Searched searched;
  /// What arguments are used as, in the reference if there is one.
  std::vector<InputRole> roles;
  /// The level that the programs were compiled at.
  unsigned optLevel = defaultOptLevel;
  /// The caches of an artefact, whose limits are checked before a run.
  std::vector<ArtefactCache> caches;
  /// Whether the last arguments of the programs are the lengths of prompts.
  bool takesLength = false;

  const HostTensor *replayed(size_t result) const {
    return replay ? &replay.results[result] : nullptr;
  }
  double roundingShare(size_t number) const {
    return valueAt(replay.results[own.results.size() + number], 0);
  }
};

/// Lowers both programs to buffers; `reference` may be null. Errors are
/// diagnostics or lines on stderr, as in all functions below.
mlir::FailureOr<Sides> prepareSides(mlir::OwningOpRef<mlir::ModuleOp> module,
                                    mlir::OwningOpRef<mlir::ModuleOp> reference,
                                    const RunOptions &options);

/// Loads the object code of an artefact, and lowers the reference, which may be
/// null. `file` is the artefact's name for errors. An error where the options
/// ask for something that the artefact was not compiled for. Brings the lengths
/// of `options` into the order of the artefact's prompts.
mlir::FailureOr<Sides>
prepareArtefact(Artefact artefact, const std::string &file,
                mlir::OwningOpRef<mlir::ModuleOp> reference,
                mlir::MLIRContext &context, RunOptions &options);

/// Adds a reference to the function in `sides.own`, whose split reductions are
/// `sides.splits`.
mlir::LogicalResult addReference(Sides &sides,
                                 mlir::OwningOpRef<mlir::ModuleOp> reference,
                                 const RunOptions &options);

/// Refuses programs that need more memory than is available, and compiles them,
/// all at one level.
mlir::LogicalResult compileSides(Sides &sides, const RunOptions &options);

/// The inputs of a run. Functions that take lengths get those of `run`.
mlir::FailureOr<std::vector<HostTensor>> makeInputs(const Sides &sides,
                                                    const RunOptions &options,
                                                    const LengthsOfRun &run);

/// Reads the inputs of arguments of these specs from the files of `options`, or
/// generates them.
mlir::FailureOr<std::vector<HostTensor>>
makeInputs(const std::vector<TensorSpec> &specs,
           const std::vector<InputRole> &roles, const RunOptions &options);

/// Runs the sides in turn, so that other load of the machine affects both.
mlir::LogicalResult
runSides(Sides &sides, const std::vector<HostTensor> &inputs, unsigned repeat);

/// "(4x2xf32, i64)"
std::string toString(const std::vector<TensorSpec> &specs);

/// Prints an error without a location, and fails.
mlir::LogicalResult failRun(const std::string &message);

} // namespace npu

#endif // NPU_EXECUTION_COMPARE_RUNSIDES_H
