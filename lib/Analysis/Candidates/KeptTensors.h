// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// Which tensors stay on tiles as a whole although steps cut them.

#ifndef NPU_LIB_ANALYSIS_CANDIDATES_KEPTTENSORS_H
#define NPU_LIB_ANALYSIS_CANDIDATES_KEPTTENSORS_H

#include "StepCandidates.h"
#include "StepSlice.h"

namespace npu {

/// One choice of the tensors of a group that stay on tiles.
struct KeptTensors {
  llvm::SmallVector<mlir::Value, 2> operands;
  bool result = false;

  bool contains(bool isResult, mlir::Value operand) const {
    return isResult ? result : llvm::is_contained(operands, operand);
  }
};

/// The choices that are costed. The first is all that is small. Where bytes
/// have a price, also what is small with one of the largest tensors, each with
/// the result and without, and the result alone. `slices` are those of the
/// whole group, the result the last.
std::vector<KeptTensors> choicesOfKept(const StepGroup &group,
                                       llvm::ArrayRef<StepSlice> slices,
                                       const StepOptions &asked, int64_t tiles,
                                       int64_t scratchpadBytes);

} // namespace npu

#endif // NPU_LIB_ANALYSIS_CANDIDATES_KEPTTENSORS_H
