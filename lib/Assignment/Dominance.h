// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// Whether one partial assignment is as good as another with all that it lacks.

#ifndef NPU_LIB_ASSIGNMENT_DOMINANCE_H
#define NPU_LIB_ASSIGNMENT_DOMINANCE_H

#include "Frontier.h"

namespace npu {

/// Compares partial assignments of one frontier; what two conditions of a value
/// differ by is computed once.
class Dominance {
public:
  /// The arguments outlive this.
  Dominance(const Frontier &frontier, const std::vector<Conditions> &conditions,
            int operation);

  /// Whether `by` can take the place of `partial`: numbers of the frontier's
  /// partial assignments.
  bool isDominated(size_t partial, size_t by);

private:
  struct Column {
    int value = 0;
    /// The conditions of the value, and which of them each partial assignment
    /// has.
    std::vector<int> ids, places;
    /// By two places what `Conditions::extraCost` says; -1 where it says
    /// nothing, -2 where it was not asked.
    std::vector<int64_t> extra;
  };
  int64_t extra(Column &column, size_t a, size_t b) const;
  bool hasRoom(const Partial &partial, const Partial &by) const;

  const Frontier &frontier;
  const std::vector<Conditions> &conditions;
  int operation;
  std::vector<Column> columns;
};

} // namespace npu

#endif // NPU_LIB_ASSIGNMENT_DOMINANCE_H
