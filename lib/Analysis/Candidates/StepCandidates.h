// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// The candidates by which tiles run an operation in steps: on slices of tensors
// in DDR, one after the other (OperationSteps.h). What does not change from
// step to step stays on tiles, as operand or result.

#ifndef NPU_LIB_ANALYSIS_CANDIDATES_STEPCANDIDATES_H
#define NPU_LIB_ANALYSIS_CANDIDATES_STEPCANDIDATES_H

#include "npu/Analysis/Candidates/OperationCandidates.h"

#include "mlir/Dialect/Linalg/IR/Linalg.h"

namespace npu {

/// How steps are chosen.
struct StepOptions {
  /// What goes through DDR though it is not cut.
  bool storesResult = false;
  bool loadsOperands = false;
  /// What a byte of DDR counts besides its time, in millicycles.
  int64_t bytePrice = 0;
};

/// Candidates whose steps fit in the scratchpads of `target`, the cheapest
/// first, and the one that takes the least bytes of all, whether it fits or
/// not. First, every choice of at most three loops, of their sizes and of their
/// order is judged by the bytes that DDR has to move and by the number of
/// steps: of those that fit, none can be made larger in a single loop. The best
/// few of these for all of a scratchpad, a half and a quarter of it are costed
/// with every split over tiles. `types` are those of each whole operation.
/// Empty where the operation can have no steps.
///
/// Of a group of several operations, these are candidates of the last one. Adds
/// what was considered to `considered`.
std::vector<OperationCandidate>
stepCandidates(const StepGroup &group, llvm::ArrayRef<OrderedTypes> types,
               const Target &target, int64_t tiles, const KernelTable *kernels,
               const StepOptions &options, ConsideredSteps &considered);

} // namespace npu

#endif // NPU_LIB_ANALYSIS_CANDIDATES_STEPCANDIDATES_H
