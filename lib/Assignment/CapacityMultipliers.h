// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// Lagrangian relaxation of the capacity rows.

#ifndef NPU_LIB_ASSIGNMENT_CAPACITYMULTIPLIERS_H
#define NPU_LIB_ASSIGNMENT_CAPACITYMULTIPLIERS_H

#include "npu/Assignment/Problem.h"

namespace npu {

/// A capacity row says that the bytes of a candidate and of existing layouts
/// are at most the capacity. Relaxed with a multiplier, each term costs its
/// fraction of the multiplier, and the whole fraction that is free at most is
/// credited once. An assignment within the capacities costs no more with these
/// terms than without, so that a lower bound of the relaxed problem is one of
/// the problem.
class CapacityMultipliers {
public:
  /// All multipliers are 0. `rows` outlives the multipliers.
  CapacityMultipliers(const AssignmentProblem &problem,
                      const std::vector<CapacityRow> &rows);

  /// The largest multiplier.
  static constexpr int64_t kLargest = int64_t{1} << 42;

  /// Sets the multiplier of each row, from 0 to kLargest.
  void set(const std::vector<int64_t> &multipliers);

  /// The cost of the capacity that an existing layout takes, and that a chosen
  /// candidate takes.
  int64_t of(ValueLayout layout) const {
    return layoutCosts[layout.value][layout.layout];
  }
  int64_t of(int operation, int candidate) const {
    return candidateCosts[operation][candidate];
  }

  /// The sum of the multipliers' free fractions: what is subtracted from the
  /// bound.
  int64_t credit() const { return total; }

  /// The subgradient: for each row by which fraction of its capacity these
  /// candidates exceed it, below 0 where they leave room. They need not be an
  /// assignment.
  std::vector<double> excess(const std::vector<int> &candidates) const;

private:
  const AssignmentProblem *problem;
  const std::vector<CapacityRow> *rows;
  std::vector<std::vector<int>> made;
  std::vector<std::vector<int64_t>> layoutCosts, candidateCosts;
  int64_t total = 0;
};

} // namespace npu

#endif // NPU_LIB_ASSIGNMENT_CAPACITYMULTIPLIERS_H
