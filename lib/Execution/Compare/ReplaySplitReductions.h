// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// A reduction that tiles add up in parts rounds otherwise than an undivided
// one, but what it rounds to is no secret: the reference adds up in the same
// parts, in the same order and in the element type, and then the bits are the
// same. So no bound on rounding is needed, which in sixteen bits would pass
// anything, and a split reduction may be followed by any operations.
//
// Of FILE, the reference believes only where reductions are cut. That these
// parts are every iteration once is checked, and they are made one after the
// other, by a loop over slices of the undivided reduction's operands, not by
// maps that know the parts' number as legalization's are: a mistake there is
// not repeated here.

#ifndef NPU_LIB_EXECUTION_COMPARE_REPLAYSPLITREDUCTIONS_H
#define NPU_LIB_EXECUTION_COMPARE_REPLAYSPLITREDUCTIONS_H

#include "mlir/Dialect/Func/IR/FuncOps.h"
#include "mlir/IR/BuiltinOps.h"

#include <optional>
#include <string>
#include <vector>

namespace npu {

/// What `npu.split_reduction` says, once per reduction.
struct SplitReductionNote {
  std::string function;
  std::string op;
  int64_t number = 0;
  int64_t parts = 0;
  int64_t terms = 0;
  /// The loops that are cut, and for each part, loop by loop, where its range
  /// begins and ends.
  std::vector<int64_t> loops;
  std::vector<int64_t> ranges;
  mlir::Location loc;

  /// "linalg.matmul #0 of 'main'"
  std::string name() const;
};

/// The reductions of a legalized function or tile program that were split, in
/// program order.
std::vector<SplitReductionNote> splitReductionsIn(mlir::ModuleOp module);

/// What a reference that adds up in parts returns behind its results.
struct Replay {
  /// For each of these, by their numbers in `splits`, an f64 of rank 0: the
  /// reduction's rounding share (RoundingShare.h).
  std::vector<size_t> measured;
};

/// Makes the reductions of `module`, an undistributed reference, add up in the
/// parts of `splits`. Reductions that are not in the body of `entry` itself are
/// not measured. `error` says why one of them cannot be added up so.
mlir::FailureOr<Replay>
replaySplitReductions(mlir::ModuleOp module, mlir::func::FuncOp entry,
                      llvm::ArrayRef<SplitReductionNote> splits,
                      std::string &error);

} // namespace npu

#endif // NPU_LIB_EXECUTION_COMPARE_REPLAYSPLITREDUCTIONS_H
