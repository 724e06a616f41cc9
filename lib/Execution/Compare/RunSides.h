// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// The programs of one comparison: a function, its reference, and the reference
// once more where the function adds up in parts.

#ifndef NPU_LIB_EXECUTION_COMPARE_RUNSIDES_H
#define NPU_LIB_EXECUTION_COMPARE_RUNSIDES_H

#include "ReplaySplitReductions.h"
#include "npu/Execution/Compare/RunAndCompare.h"
#include "npu/Execution/Jit/CompiledFunction.h"

#include <limits>

namespace npu {

/// One program, and the tile program that says where its data were.
struct Side {
  mlir::OwningOpRef<mlir::ModuleOp> program;
  std::unique_ptr<CompiledFunction> function;
  std::vector<HostTensor> results;
  double milliseconds = std::numeric_limits<double>::infinity();

  explicit operator bool() const { return function != nullptr; }
};

struct Sides {
  Side own;
  /// Absent where nothing is compared.
  Side reference;
  /// The reference with its sums in the function's parts. Absent where no
  /// reduction was split, or where `whyNoReplay` says why.
  Side replay;
  std::string whyNoReplay;
  /// What was split, and the splits whose rounding share the replay returns
  /// behind the function's results.
  std::vector<SplitReductionNote> splits;
  std::vector<size_t> measured;
  /// The last argument is the length of what is dynamic.
  bool takesLength = false;

  const HostTensor *replayed(size_t result) const {
    return replay ? &replay.results[result] : nullptr;
  }
  double roundingShare(size_t number) const {
    return valueAt(replay.results[own.results.size() + number], 0);
  }
};

/// Both programs as far as buffers; `reference` may be null. Errors are
/// diagnostics or lines on stderr, as everywhere below.
mlir::FailureOr<Sides> prepareSides(mlir::OwningOpRef<mlir::ModuleOp> module,
                                    mlir::OwningOpRef<mlir::ModuleOp> reference,
                                    const RunOptions &options);

/// Refuses what needs more memory than there is, and compiles the rest of the
/// way.
mlir::LogicalResult compileSides(Sides &sides, const RunOptions &options);

/// `length` is given to functions that take one.
mlir::FailureOr<std::vector<HostTensor>>
makeInputs(const Sides &sides, const RunOptions &options, int64_t length);

/// Runs the sides in turn, so that what else the machine does falls on both.
mlir::LogicalResult
runSides(Sides &sides, const std::vector<HostTensor> &inputs, unsigned repeat);

/// "(4x2xf32, i64)"
std::string toString(const std::vector<TensorSpec> &specs);

/// An error that has no place in a file.
mlir::LogicalResult failRun(const std::string &message);

} // namespace npu

#endif // NPU_LIB_EXECUTION_COMPARE_RUNSIDES_H
