// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// Lower bounds of the bytes in capacity rows, whatever is chosen: a row whose
// least bytes exceed its capacity proves that there is no assignment, and a
// layout that would raise them so far is in none.

#ifndef NPU_LIB_ASSIGNMENT_LEASTBYTES_H
#define NPU_LIB_ASSIGNMENT_LEASTBYTES_H

#include "npu/Assignment/Problem.h"

#include <map>

namespace npu {

/// The candidates that are left of each operation, and what follows from them
/// for the layouts of each value: it exists in one that its maker makes, and in
/// one of those that each of its readers reads. Each value is charged in a row
/// for the largest of these alternatives' minima.
class LeastBytes {
public:
  /// The arguments outlive this. Unless `chargesMade`, values that operations
  /// make are not charged, which gives lower bounds. Precondition: no operation
  /// is without candidates.
  LeastBytes(const AssignmentProblem &problem,
             const std::vector<std::vector<int>> &made,
             const std::vector<std::vector<int>> &candidates, bool chargesMade);

  /// The least bytes of one row.
  struct Row {
    /// Of the row, with any candidate of its operation.
    int64_t bytes = 0;
    /// With each of the operation's candidates that are left, in their order.
    std::vector<int64_t> withCandidates;
    /// Of the row where the layout of each of its terms exists, in their order.
    std::vector<int64_t> withLayouts;
  };
  Row of(const CapacityRow &row) const;

private:
  /// The bytes of a value's layouts in one row, and its least ones.
  struct Charge {
    std::map<int, int64_t> layouts;
    int64_t least = 0;
  };

  /// The least bytes of the value where these layouts exist, beside the one
  /// that its maker makes.
  int64_t withLayouts(int value, const Charge &charge,
                      const std::vector<int> &layouts) const;
  std::map<int, std::vector<int>> layoutsUsed(int operation,
                                              int candidate) const;

  const AssignmentProblem &problem;
  const std::vector<std::vector<int>> &made;
  const std::vector<std::vector<int>> &candidates;
  bool chargesMade;
  /// For each value the layouts that may be made, and the different sets of
  /// layouts of which readers read one.
  std::vector<std::vector<int>> makes;
  std::vector<std::vector<std::vector<int>>> reads;
};

} // namespace npu

#endif // NPU_LIB_ASSIGNMENT_LEASTBYTES_H
