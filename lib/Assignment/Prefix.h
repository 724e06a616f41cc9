// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// Ways that were chosen for some operations, with what they cost together and
// which rows of memory they exceed: choosing a way and taking it back is cheap.

#ifndef NPU_LIB_ASSIGNMENT_PREFIX_H
#define NPU_LIB_ASSIGNMENT_PREFIX_H

#include "npu/Assignment/Problem.h"

#include <set>

namespace npu {

/// What a problem says, by way and by form.
class ProblemIndex {
public:
  explicit ProblemIndex(const AssignmentProblem &problem);

  /// Bytes that a way or a form takes in a row of memory.
  struct RowBytes {
    int row = 0;
    int64_t bytes = 0;
  };

  /// The place of a form among the forms of all values.
  int place(ValueForm form) const { return firstForm[form.value] + form.form; }
  int numForms() const { return firstForm.back(); }

  const std::vector<RowBytes> &rowsOf(ValueForm form) const {
    return formRows[place(form)];
  }
  const std::vector<RowBytes> &rowsOf(int operation, int way) const {
    return wayRows[operation][way];
  }

  /// The operations with a way that needs the form, in their order.
  const std::vector<int> &users(ValueForm form) const {
    return formUsers[place(form)];
  }
  /// The first of them behind `operation`; the largest number where there is
  /// none.
  int nextUse(ValueForm form, int operation) const;

  const AssignmentProblem &problem;
  std::vector<std::vector<int>> made;
  /// The rows of memory that a choice could exceed, in the order of operations.
  std::vector<MemoryRow> rows;

private:
  std::vector<int> firstForm;
  std::vector<std::vector<RowBytes>> formRows;
  std::vector<std::vector<std::vector<RowBytes>>> wayRows;
  std::vector<std::vector<int>> formUsers;
};

/// The chosen ways. They cost what `completeWays` says of them, as far as the
/// values are made.
class Prefix {
public:
  /// Nothing is chosen. `index` outlives the prefix.
  explicit Prefix(const ProblemIndex &index);

  /// Precondition: nothing is chosen for the operation.
  void choose(int operation, int way);
  /// Precondition: something is chosen for the operation.
  void takeBack(int operation);

  /// The chosen way; -1 where none is.
  int way(int operation) const { return ways[operation]; }
  const std::vector<int> &allWays() const { return ways; }
  int64_t cost() const { return total; }

  /// Every form that is needed can be had.
  bool isPossible() const { return impossible == 0; }
  /// A form of a value that the operation makes or needs and that cannot be
  /// had, in words. Precondition: there is one, and all is possible without the
  /// operation.
  std::string firstImpossible(int operation) const;
  bool exists(ValueForm form) const { return counts[index->place(form)] > 0; }
  /// The first row of memory that is exceeded; -1 where none is.
  int firstExceeded() const {
    return exceeded.empty() ? -1 : *exceeded.begin();
  }
  /// The bytes that are taken in a row of memory.
  int64_t bytesIn(int row) const { return bytes[row]; }

  /// What all costs with the way beside what is chosen; nothing where a form
  /// cannot be had. Precondition: nothing is chosen for the operation.
  std::optional<int64_t> costWith(int operation, int way) const;

  /// The ways whose forms can be had, the cheapest first.
  std::vector<int> waysByCost(int operation) const;

private:
  void countForm(ValueForm form, int change);
  void addBytes(const std::vector<ProblemIndex::RowBytes> &terms, int sign);
  /// Counts what the forms of the value cost again.
  void price(int value);
  void apply(int operation, int change);

  const ProblemIndex *index;
  std::vector<int> ways;
  /// For each form how many ways make or need it.
  std::vector<int> counts;
  /// The form in which each value was made; -1 where it was not yet.
  std::vector<int> madeForms;
  std::vector<int64_t> moveCosts;
  std::vector<int> impossibleMoves;
  std::vector<int64_t> bytes;
  std::set<int> exceeded;
  int64_t total = 0;
  int impossible = 0;
};

} // namespace npu

#endif // NPU_LIB_ASSIGNMENT_PREFIX_H
