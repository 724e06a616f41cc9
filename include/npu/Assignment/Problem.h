// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// The assignment problem as plain data: which way each operation runs, and in
// which forms each value exists, at least total cost and within memory.
//
// An operation has *ways* to run: which tile computes what. A value has
// *forms*: layouts, or DDR. A way makes one form of each result and needs forms
// of operands. A value exists in the form that was made and in every form that
// a chosen way needs; each of them is paid once, by a move from the form that
// was made. Costs are integers of one unit (cycles), memory is in bytes.

#ifndef NPU_ASSIGNMENT_PROBLEM_H
#define NPU_ASSIGNMENT_PROBLEM_H

#include "npu/Placement/Result.h"

#include <cstdint>
#include <optional>
#include <string>
#include <vector>

namespace npu {

/// A move that cannot be made.
inline constexpr int64_t kImpossible = -1;

/// A value in one of its forms.
struct ValueForm {
  int value = 0;
  int form = 0;

  friend auto operator<=>(const ValueForm &, const ValueForm &) = default;
};

/// One way to run an operation.
struct Way {
  /// Such as "split d0 over 4".
  std::string what;
  int64_t cost = 0;
  /// The form of each result, in the order of the values that the operation
  /// makes.
  std::vector<int> makes;
  std::vector<ValueForm> needs;

  bool operator==(const Way &) const = default;
};

struct AssignedOperation {
  std::string name;
  std::string location;
  std::vector<Way> ways;

  bool operator==(const AssignedOperation &) const = default;
};

struct AssignedValue {
  std::string name;
  /// The operation that makes the value; -1 for arguments and constants, which
  /// exist in form 0 from the beginning.
  int madeBy = -1;
  std::vector<std::string> forms;
  /// `moves[p][f]` is the cost of having form f where form p was made, or
  /// `kImpossible`; `moves[p][p]` is 0.
  std::vector<std::vector<int64_t>> moves;

  bool operator==(const AssignedValue &) const = default;
};

/// Bytes that a chosen way, or a form that exists, takes in a scratchpad.
struct WayBytes {
  int way = 0;
  int64_t bytes = 0;

  bool operator==(const WayBytes &) const = default;
};
struct FormBytes {
  ValueForm form;
  int64_t bytes = 0;

  bool operator==(const FormBytes &) const = default;
};

/// What has to fit in the scratchpad of one tile while operation `at` runs:
/// fixed + the bytes of its chosen way + the bytes of the forms that exist <=
/// capacity.
struct MemoryRow {
  int at = 0;
  int tile = 0;
  int64_t capacity = 0;
  int64_t fixed = 0;
  std::vector<WayBytes> ways;
  std::vector<FormBytes> forms;

  bool operator==(const MemoryRow &) const = default;
};

/// Operations are in the order of the program.
struct AssignmentProblem {
  std::vector<AssignedOperation> operations;
  std::vector<AssignedValue> values;
  std::vector<MemoryRow> memory;

  bool operator==(const AssignmentProblem &) const = default;
};

/// An answer: the way of each operation, and the forms of each value, sorted.
struct Assignment {
  std::vector<int> ways;
  std::vector<std::vector<int>> forms;
  int64_t cost = 0;
  /// No assignment costs less than this.
  int64_t bound = 0;

  bool isProved() const { return cost == bound; }
  bool operator==(const Assignment &) const = default;
};

/// Why there is no assignment.
struct NoAssignment {
  std::string message;
  /// The operation that the search could not go on with, where it was one.
  std::optional<int> operation = std::nullopt;
  /// Whether a search that keeps more partial assignments may find one.
  bool isLimited = false;
};

/// Nothing wrong, or the first number that the problem does not have: an
/// operation without ways, a form out of range, a need before the value is
/// made, a cost below 0, a sum of all costs of more than 62 bits, ...
Result<> checkProblem(const AssignmentProblem &problem);

/// The values that each operation makes, in the order of `Way::makes`.
std::vector<std::vector<int>> valuesMade(const AssignmentProblem &problem);

/// The assignment with these ways, each value in the fewest forms, and a bound
/// of 0. Errors: a needed form cannot be made; a scratchpad is too small.
/// Example: a way of cost 5 that makes form 0, and a user of cost 7 that needs
/// form 1, where `moves[0][1]` is 3: cost 15, forms {0, 1}.
Result<Assignment, NoAssignment> completeWays(const AssignmentProblem &problem,
                                const std::vector<int> &ways);

/// Nothing wrong, or what of the assignment is not so: a way that the operation
/// does not have, memory, forms or a cost that do not follow from the ways, a
/// bound above the cost.
Result<> checkAssignment(const AssignmentProblem &problem,
                      const Assignment &assignment);

} // namespace npu

#endif // NPU_ASSIGNMENT_PROBLEM_H
