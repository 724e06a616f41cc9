// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// Live ranges of values, and of each of their layouts.

#ifndef NPU_LIB_ASSIGNMENT_LIFETIMES_H
#define NPU_LIB_ASSIGNMENT_LIFETIMES_H

#include "npu/Assignment/Problem.h"

#include <span>

namespace npu {

/// The capacity rows that some assignment exceeds, in program order.
std::vector<CapacityRow> rowsThatMatter(const AssignmentProblem &problem);

class Lifetimes {
public:
  Lifetimes(const AssignmentProblem &problem,
            std::span<const CapacityRow> rows);

  /// The last operation with a candidate that reads the layout; -1 where there
  /// is none.
  int lastUse(ValueLayout layout) const { return at(layout).lastUse; }
  /// Whether the layout is live after the operation: a later row counts it or a
  /// later operation may read it.
  bool matters(ValueLayout layout, int operation) const {
    return lastRow(layout) > operation || lastUse(layout) > operation;
  }
  /// The last operation with a capacity row that counts the layout; -1 where
  /// there is none.
  int lastRow(ValueLayout layout) const { return at(layout).lastRow; }

  /// The start of the value's live range: the operation that makes it, for
  /// arguments and constants their first use, -1 where they have none.
  int begin(int value) const { return values[value].begin; }

  /// The end of the value's live range; -1 where it has no use.
  int last(int value) const { return values[value].last; }

  /// The arguments and constants that become live at the operation.
  const std::vector<int> &entering(int operation) const {
    return entries[operation];
  }

  /// The largest number of layouts of the value that the operations after
  /// `operation` can read.
  int usesAfter(int value, int operation) const;

private:
  struct Layout {
    int lastUse = -1;
    int lastRow = -1;
  };
  struct Value {
    int first = -1;
    int last = -1;
    int begin = -1;
    std::vector<Layout> layouts;
    /// For each operation that may read the value the largest number of layouts
    /// that it and later ones read.
    std::vector<std::pair<int, int>> users;
  };

  const Layout &at(ValueLayout layout) const {
    return values[layout.value].layouts[layout.layout];
  }
  void addUses(const AssignmentProblem &problem, int operation);
  void mention(Value &value, int operation);

  std::vector<Value> values;
  std::vector<std::vector<int>> entries;
};

} // namespace npu

#endif // NPU_LIB_ASSIGNMENT_LIFETIMES_H
