// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// The assignment problem as plain data: choose a candidate for each operation,
// and with that the layouts in which each value exists, at least total cost and
// within memory.
//
// A candidate of an operation says which tile computes what: it produces each
// result in one layout and reads operands in given layouts. DDR is a layout,
// too. A value exists in the layout that it was made in and in every layout in
// which a chosen candidate reads it; each of these is paid once, by a move from
// the layout that was made. Costs are integers of one unit (cycles), memory is
// in bytes.
//
// So this is a weighted constraint satisfaction problem whose variables are the
// operations, with one cost function for each operation, one for each value
// (which couples its maker and all of its readers), and linear capacity
// constraints.

#ifndef NPU_ASSIGNMENT_PROBLEM_H
#define NPU_ASSIGNMENT_PROBLEM_H

#include "npu/Placement/Result.h"

#include <cstdint>
#include <optional>
#include <string>
#include <vector>

namespace npu {

/// The cost of a move that does not exist.
inline constexpr int64_t kImpossible = -1;

/// A value in one of its layouts.
struct ValueLayout {
  int value = 0;
  int layout = 0;

  friend auto operator<=>(const ValueLayout &, const ValueLayout &) = default;
};

/// One strategy for running an operation.
struct Candidate {
  /// Such as "split d0 over 4".
  std::string what;
  int64_t cost = 0;
  /// The layout of each result, in the order in which valuesMade() has them.
  std::vector<int> resultLayouts;
  std::vector<ValueLayout> operandLayouts;

  bool operator==(const Candidate &) const = default;
};

struct AssignedOperation {
  std::string name;
  std::string location;
  std::vector<Candidate> candidates;

  bool operator==(const AssignedOperation &) const = default;
};

struct AssignedValue {
  std::string name;
  /// The operation that makes the value; -1 for arguments and constants, which
  /// exist in layout 0 from the beginning.
  int madeBy = -1;
  std::vector<std::string> layouts;
  /// `moves[p][f]` is the cost of adding layout f where layout p was made, or
  /// `kImpossible`; `moves[p][p]` is 0.
  std::vector<std::vector<int64_t>> moves;
  /// The storage kind in which tiles hold the value, and why, for readers of
  /// reports: "tiled2d: npu4000 prefers it, and no more bytes are converted".
  /// Empty where nobody has said.
  std::string storage;

  bool operator==(const AssignedValue &) const = default;
};

/// Bytes that a chosen candidate, or an existing layout, takes in a scratchpad.
struct CandidateBytes {
  int candidate = 0;
  int64_t bytes = 0;

  bool operator==(const CandidateBytes &) const = default;
};
struct LayoutBytes {
  ValueLayout layout;
  int64_t bytes = 0;

  bool operator==(const LayoutBytes &) const = default;
};

/// A capacity constraint of the scratchpad of one tile while operation `at`
/// runs: fixed + the bytes of its chosen candidate + the bytes of existing
/// layouts <= capacity.
struct CapacityRow {
  int at = 0;
  int tile = 0;
  int64_t capacity = 0;
  int64_t fixed = 0;
  std::vector<CandidateBytes> candidates;
  std::vector<LayoutBytes> layouts;

  bool operator==(const CapacityRow &) const = default;
};

/// Operations are in program order.
struct AssignmentProblem {
  std::vector<AssignedOperation> operations;
  std::vector<AssignedValue> values;
  std::vector<CapacityRow> memory;

  bool operator==(const AssignmentProblem &) const = default;
};

/// A solution: the candidate of each operation, and the layouts of each value,
/// sorted.
struct Assignment {
  std::vector<int> candidates;
  std::vector<std::vector<int>> layouts;
  int64_t cost = 0;
  /// No assignment costs less than this.
  int64_t bound = 0;

  bool isProved() const { return cost == bound; }
  bool operator==(const Assignment &) const = default;
};

/// Bytes that every assignment puts at least into a capacity row.
struct RowBytes {
  /// The operation and the tile of the row.
  int at = 0;
  int tile = 0;
  int64_t bytes = 0;
  int64_t capacity = 0;
};

/// Why there is no assignment.
struct NoAssignment {
  std::string message;
  /// The operation that the search could not go on with, where it was one.
  std::optional<int> operation = std::nullopt;
  /// Whether a search that keeps more partial assignments may find one.
  bool isLimited = false;
  /// The capacity row that every choice fills most, as far as that is known.
  /// Where its bytes exceed its capacity, they prove that nothing fits.
  std::optional<RowBytes> fullest = std::nullopt;
};

/// Nothing, or the first inconsistency: an operation without candidates, a
/// layout out of range, an operand that is made later, a cost below 0, a sum of
/// all costs of more than 62 bits, ...
Result<> checkProblem(const AssignmentProblem &problem);

/// The values that each operation makes, in the order of
/// `Candidate::resultLayouts`.
std::vector<std::vector<int>> valuesMade(const AssignmentProblem &problem);

/// The assignment with these candidates, with the fewest layouts and a bound of
/// 0. Errors: a layout cannot be reached; a scratchpad is too small. Example: a
/// candidate of cost 5 that makes layout 0, and a reader of cost 7 in layout 1,
/// where `moves[0][1]` is 3: cost 15, layouts {0, 1}.
Result<Assignment, NoAssignment>
completeAssignment(const AssignmentProblem &problem,
                   const std::vector<int> &candidates);

/// Nothing, or the first inconsistency: a candidate that the operation does not
/// have, a capacity that is exceeded, layouts or a cost that do not follow from
/// the candidates, a bound above the cost.
Result<> checkAssignment(const AssignmentProblem &problem,
                         const Assignment &assignment);

} // namespace npu

#endif // NPU_ASSIGNMENT_PROBLEM_H
