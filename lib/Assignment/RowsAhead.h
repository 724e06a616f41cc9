// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// The capacity rows of later operations, as far as partial assignments can
// already exceed them: forward checking. Without it a search would fill the
// scratchpads with what is cheap, and find out many operations later that what
// is still to be made has no room.

#ifndef NPU_LIB_ASSIGNMENT_ROWSAHEAD_H
#define NPU_LIB_ASSIGNMENT_ROWSAHEAD_H

#include "Lifetimes.h"

#include <set>

namespace npu {

/// After each operation the rows of later ones, in terms of the values that are
/// live there: what is made later is charged for its least bytes. Of the many
/// rows only those are kept that no other one implies: in the first half of a
/// U-Net, that of its middle.
class RowsAhead {
public:
  /// The arguments outlive this.
  RowsAhead(const AssignmentProblem &problem,
            const std::vector<std::vector<int>> &made,
            const std::vector<CapacityRow> &rows, const Lifetimes &lifetimes);

  /// What layouts that exist may take together of a later row.
  struct Row {
    int64_t room = 0;
    /// In the order of layouts.
    std::vector<LayoutBytes> layouts;
  };

  /// The rows after `operation`.
  const std::vector<Row> &after(int operation) const {
    return rowsAfter[operation];
  }

private:
  Row rowOf(const CapacityRow &row) const;
  Row before(int operation, Row row, const CapacityRow *own) const;
  static void add(std::vector<Row> &rows, Row row);
  int64_t spareBytes(const Row &row) const;
  void keepTightest(std::vector<Row> &rows) const;

  const AssignmentProblem &problem;
  const std::vector<std::vector<int>> &made;
  const Lifetimes &lifetimes;
  /// For each value the layouts that its maker can make.
  std::vector<std::set<int>> makes;
  std::vector<std::vector<Row>> rowsAfter;
};

} // namespace npu

#endif // NPU_LIB_ASSIGNMENT_ROWSAHEAD_H
