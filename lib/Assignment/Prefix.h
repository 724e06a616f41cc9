// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// A partial assignment with its cost and the capacity rows that it exceeds,
// updated incrementally: choosing a candidate and undoing the choice are cheap.

#ifndef NPU_LIB_ASSIGNMENT_PREFIX_H
#define NPU_LIB_ASSIGNMENT_PREFIX_H

#include "npu/Assignment/Problem.h"

#include <set>

namespace npu {

/// An index of a problem's terms by candidate and by layout.
class ProblemIndex {
public:
  explicit ProblemIndex(const AssignmentProblem &problem);

  /// Bytes that a candidate or a layout takes in a capacity row.
  struct RowBytes {
    int row = 0;
    int64_t bytes = 0;
  };

  /// The place of a layout among the layouts of all values.
  int place(ValueLayout layout) const {
    return firstLayout[layout.value] + layout.layout;
  }
  int numLayouts() const { return firstLayout.back(); }

  const std::vector<RowBytes> &rowsOf(ValueLayout layout) const {
    return layoutRows[place(layout)];
  }
  const std::vector<RowBytes> &rowsOf(int operation, int candidate) const {
    return candidateRows[operation][candidate];
  }

  /// The operations with a candidate that reads the layout, in program order.
  const std::vector<int> &users(ValueLayout layout) const {
    return layoutUsers[place(layout)];
  }
  /// The first of them after `operation`; the largest int where there is none.
  int nextUse(ValueLayout layout, int operation) const;

  const AssignmentProblem &problem;
  std::vector<std::vector<int>> made;
  /// The capacity rows that some assignment exceeds, in program order.
  std::vector<CapacityRow> rows;

private:
  std::vector<int> firstLayout;
  std::vector<std::vector<RowBytes>> layoutRows;
  std::vector<std::vector<std::vector<RowBytes>>> candidateRows;
  std::vector<std::vector<int>> layoutUsers;
};

/// The chosen candidates. Their cost is that of completeAssignment, restricted
/// to values that are made.
class Prefix {
public:
  /// Nothing is chosen. `index` outlives the prefix.
  explicit Prefix(const ProblemIndex &index);

  /// Precondition: nothing is chosen for the operation.
  void choose(int operation, int candidate);
  /// Precondition: something is chosen for the operation.
  void takeBack(int operation);

  /// The chosen candidate; -1 where none is.
  int candidate(int operation) const { return candidates[operation]; }
  const std::vector<int> &allCandidates() const { return candidates; }
  int64_t cost() const { return total; }

  /// Every layout that a chosen candidate reads can be reached.
  bool isPossible() const { return impossible == 0; }
  /// Why a layout of the operation's values cannot be reached, in words.
  /// Precondition: one cannot, and all could before the operation was chosen.
  std::string firstImpossible(int operation) const;
  bool exists(ValueLayout layout) const {
    return counts[index->place(layout)] > 0;
  }
  /// The first capacity row that is exceeded; -1 where none is.
  int firstExceeded() const {
    return exceeded.empty() ? -1 : *exceeded.begin();
  }
  /// The bytes that are taken in a capacity row.
  int64_t bytesIn(int row) const { return bytes[row]; }

  /// The total cost with the candidate added; nothing where a layout cannot be
  /// reached. Precondition: nothing is chosen for the operation.
  std::optional<int64_t> costWith(int operation, int candidate) const;

  /// The candidates whose layouts can be reached, the cheapest first.
  std::vector<int> candidatesByCost(int operation) const;

private:
  void countLayout(ValueLayout layout, int change);
  void addBytes(const std::vector<ProblemIndex::RowBytes> &terms, int sign);
  /// Updates the cost of the value's moves.
  void updateMoves(int value);
  void apply(int operation, int change);

  const ProblemIndex *index;
  std::vector<int> candidates;
  /// For each layout how many chosen candidates make or read it.
  std::vector<int> counts;
  /// The layout in which each value was made; -1 for values not made yet.
  std::vector<int> madeLayouts;
  std::vector<int64_t> moveCosts;
  std::vector<int> impossibleMoves;
  std::vector<int64_t> bytes;
  std::set<int> exceeded;
  int64_t total = 0;
  int impossible = 0;
};

} // namespace npu

#endif // NPU_LIB_ASSIGNMENT_PREFIX_H
