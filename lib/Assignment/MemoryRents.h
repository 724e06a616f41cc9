// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// What ways and forms pay for the memory that they take.

#ifndef NPU_LIB_ASSIGNMENT_MEMORYRENTS_H
#define NPU_LIB_ASSIGNMENT_MEMORYRENTS_H

#include "npu/Assignment/Problem.h"

namespace npu {

/// A row of memory has a price for all of it. What takes a part of the row pays
/// that part of the price, and the program gets the price of what is free at
/// most: an assignment that fits pays no more than it gets, so that its cost
/// with rents is no more than its cost.
class MemoryRents {
public:
  /// All prices are 0. `rows` outlives the rents.
  MemoryRents(const AssignmentProblem &problem,
              const std::vector<MemoryRow> &rows);

  /// The most that a row costs.
  static constexpr int64_t kMost = int64_t{1} << 42;

  /// Sets the price of each row, from 0 to `kMost`.
  void set(const std::vector<int64_t> &prices);

  /// What a form pays that exists, and what a way pays that runs.
  int64_t of(ValueForm form) const { return formRents[form.value][form.form]; }
  int64_t of(int operation, int way) const { return wayRents[operation][way]; }

  /// What the program gets.
  int64_t credit() const { return total; }

  /// For each row by which part of its capacity these ways exceed it; less than
  /// 0 where they leave room. They need not be an assignment.
  std::vector<double> excess(const std::vector<int> &ways) const;

private:
  const AssignmentProblem *problem;
  const std::vector<MemoryRow> *rows;
  std::vector<std::vector<int>> made;
  std::vector<std::vector<int64_t>> formRents, wayRents;
  int64_t total = 0;
};

} // namespace npu

#endif // NPU_LIB_ASSIGNMENT_MEMORYRENTS_H
