// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// Finds repeated layers of a program, and makes a smaller problem with a few of
// them whose solution extends to all.

#ifndef NPU_LIB_ASSIGNMENT_EQUALLAYERS_H
#define NPU_LIB_ASSIGNMENT_EQUALLAYERS_H

#include "npu/Assignment/Problem.h"

#include <optional>

namespace npu {

/// `layers` times `period` operations, one layer after the other from the
/// operation `begin` on, that are equal but for the values that they read.
struct EqualLayers {
  int begin = 0;
  int period = 0;
  int layers = 0;

  bool operator==(const EqualLayers &) const = default;
};

/// The equal layers that leave out the most operations if `kept` of them are
/// kept; nothing where there are none. Operations are equal if their
/// candidates, with all costs, and the moves of their operands and results are;
/// capacity rows are not compared.
std::optional<EqualLayers> findEqualLayers(const AssignmentProblem &problem,
                                           int kept);

/// The problem with three of its equal layers: the first, one that represents
/// all between, and the last. A move of an argument that layers share costs the
/// part that the kept readers would pay. A solution of the short problem is a
/// proposal only, whose cost and bound are computed in the whole problem.
class ShortProblem {
public:
  static constexpr int kKept = 3;

  /// `whole` outlives the short problem. Precondition: more than `kKept`
  /// layers.
  ShortProblem(const AssignmentProblem &whole, const EqualLayers &layers);

  const AssignmentProblem &problem() const { return shorter; }

  /// Whether the operation itself is in the short problem.
  bool isKept(int operation) const;
  /// The operation that stands for an operation of the whole problem.
  int operation(int i) const;
  /// The value that stands for a value of the whole problem; -1 where none
  /// does.
  int value(int v) const;
  /// The value that stands for `v` in what stands for its reader `i`: between
  /// layers it is what the layer before makes. -1 where none does.
  int valueReadBy(int v, int i) const;

  /// The candidates of all operations, each that of the operation which
  /// represents it.
  std::vector<int> candidatesOfWhole(const std::vector<int> &candidates) const;

private:
  bool isInLayers(int operation) const;
  int layerOf(int operation) const;
  int copyOf(int layer) const;
  bool isShared(int v) const;
  int valueInCopy(int v, int copy) const;
  int valueKeptFor(int v, int i) const;

  void matchArguments();
  void addOperations();
  void addValues();
  void addMemory();
  void shareMoves();
  std::vector<int> countReaders(bool keptOnly) const;

  const AssignmentProblem &whole;
  EqualLayers layers;
  std::vector<std::vector<int>> made;
  /// For each value of the whole problem the number of operations that may need
  /// it, of all and of those that stay.
  std::vector<int> readers, keptReaders;
  /// For each value of the whole problem its number in the short one, or -1.
  std::vector<int> numbers;
  /// For each value its number in the short problem; for an argument that the
  /// short problem leaves out, the number of the argument that stands for it.
  std::vector<int> alike;
  AssignmentProblem shorter;
};

} // namespace npu

#endif // NPU_LIB_ASSIGNMENT_EQUALLAYERS_H
