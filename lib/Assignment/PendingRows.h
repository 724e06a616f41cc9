// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// Rows of memory of operations that are done, as far as forms count in them
// that later operations may need.

#ifndef NPU_LIB_ASSIGNMENT_PENDINGROWS_H
#define NPU_LIB_ASSIGNMENT_PENDINGROWS_H

#include "Lifetimes.h"

namespace npu {

/// Rows that differ in nothing that is to come are one: behind a layer, its
/// rows count the forms of what all layers share, and nothing else of them
/// matters.
class PendingRows {
public:
  /// Nothing is done. The arguments outlive this.
  PendingRows(const std::vector<MemoryRow> &rows, const Lifetimes &lifetimes)
      : rows(rows), lifetimes(lifetimes), places(rows.size(), -1),
        counted(rows.size()) {}

  /// Goes behind `operation`: call for one after the other.
  void advance(int operation);

  /// The row that stands for this one, which is pending or stood for another
  /// one in front of the operation; -1 where nothing that it counts may be
  /// needed any more.
  int standIn(int row) const { return places[row]; }

  /// The forms of a pending row that may be needed, sorted.
  const std::vector<FormBytes> &forms(int row) const { return counted[row]; }

private:
  const std::vector<MemoryRow> &rows;
  const Lifetimes &lifetimes;
  std::vector<int> pending;
  size_t next = 0;
  std::vector<int> places;
  std::vector<std::vector<FormBytes>> counted;
};

} // namespace npu

#endif // NPU_LIB_ASSIGNMENT_PENDINGROWS_H
