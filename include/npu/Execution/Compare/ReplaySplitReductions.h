// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// Makes the reference add up as a split reduction does. A reduction that tiles
// add up in parts rounds otherwise than an undivided one, but in a way that can
// be reproduced: when the reference adds up the same parts in the same order
// and in the element type, it gets the same bits. So no bound on rounding is
// needed, which in sixteen bits would accept any result, and a split reduction
// may be followed by any operations.
//
// The reference takes only the ranges of the parts from FILE. It checks that
// they have every iteration once, and computes the parts one after the other,
// by a loop over slices of the undivided reduction's operands, and not by maps
// that contain the number of the part, as legalization does: a mistake in these
// maps is not repeated here.

#ifndef NPU_EXECUTION_COMPARE_REPLAYSPLITREDUCTIONS_H
#define NPU_EXECUTION_COMPARE_REPLAYSPLITREDUCTIONS_H

#include "npu/Placement/Result.h"

#include "mlir/Dialect/Func/IR/FuncOps.h"
#include "mlir/IR/BuiltinOps.h"

#include <optional>
#include <string>
#include <vector>

namespace npu {

/// The content of `npu.split_reduction`, once per reduction.
struct SplitReductionNote {
  std::string function;
  std::string op;
  int64_t number = 0;
  int64_t parts = 0;
  int64_t terms = 0;
  /// The loops that are cut, and for each part, loop by loop, begin and end of
  /// its range.
  std::vector<int64_t> loops;
  std::vector<int64_t> ranges;
  mlir::Location loc;

  /// "linalg.matmul #0 of 'main'"
  std::string name() const;
};

/// The reductions of a legalized function or tile program that were split, in
/// program order.
std::vector<SplitReductionNote> splitReductionsIn(mlir::ModuleOp module);

/// The additional results of a reference that adds up in parts.
struct Replay {
  /// The numbers in `splits` of the reductions for which the reference returns
  /// an f64 of rank 0: the reduction's rounding share (RoundingShare.h).
  std::vector<size_t> measured;
};

/// Makes the reductions of `module`, an undistributed reference, add up in the
/// parts of `splits`. Reductions that are not in the body of `entry` itself are
/// not measured. Fails where one of them cannot be rewritten.
Result<Replay> replaySplitReductions(mlir::ModuleOp module,
                                     mlir::func::FuncOp entry,
                                     llvm::ArrayRef<SplitReductionNote> splits);

} // namespace npu

#endif // NPU_EXECUTION_COMPARE_REPLAYSPLITREDUCTIONS_H
