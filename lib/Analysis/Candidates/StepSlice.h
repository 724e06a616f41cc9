// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// The slices that steps have of the tensors of a group, as far as their bytes
// go, and the splits of a step over tiles.

#ifndef NPU_LIB_ANALYSIS_CANDIDATES_STEPSLICE_H
#define NPU_LIB_ANALYSIS_CANDIDATES_STEPSLICE_H

#include "npu/Analysis/Choices/StepGroup.h"

namespace npu {

/// Loops of the last operation of a group, and over how many tiles each of them
/// is split.
using StepSplit = llvm::SmallVector<std::pair<int64_t, int64_t>, 2>;

/// The slice that each step has of an operand or of the result of a group.
struct StepSlice {
  StepUse use;
  /// For each dimension, the entries between two iterations of each loop.
  llvm::SmallVector<llvm::SmallVector<int64_t>> strides;
  /// For each loop of the last operation, whether its slices change with it.
  llvm::SmallVector<bool> changes;
  int64_t bits = 0;
  /// For each dimension, the entries at its ends that tiles add; empty where
  /// there are none.
  llvm::SmallVector<int64_t> added;
  bool isOutput = false;
  /// Whether slices are loaded: others are made on tiles.
  bool isLoaded = false;

  static StepSlice of(const StepGroup &group, StepUse use);

  /// The bytes of a slice where the last operation runs so many iterations.
  int64_t bytes(const StepGroup &group, llvm::ArrayRef<int64_t> last) const;
};

} // namespace npu

#endif // NPU_LIB_ANALYSIS_CANDIDATES_STEPSLICE_H
