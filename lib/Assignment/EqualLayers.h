// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// Equal layers of a program, and the same program with a few of them, whose
// assignment says what all of them do.

#ifndef NPU_LIB_ASSIGNMENT_EQUALLAYERS_H
#define NPU_LIB_ASSIGNMENT_EQUALLAYERS_H

#include "npu/Assignment/Problem.h"

#include <optional>

namespace npu {

/// `layers` times `period` operations, one layer behind the other from the
/// operation `begin` on, that are equal but for the values that they read.
struct EqualLayers {
  int begin = 0;
  int period = 0;
  int layers = 0;

  bool operator==(const EqualLayers &) const = default;
};

/// The equal layers of which most operations can be left out if `kept` of them
/// stay; nothing where none can. Operations are equal if their ways are, with
/// all costs, and the moves of what they make and need; memory is not compared.
std::optional<EqualLayers> findEqualLayers(const AssignmentProblem &problem,
                                           int kept);

/// The problem with three of its equal layers: the first, one that stands for
/// all between, and the last. A move of an argument that layers share costs the
/// part that their share of its readers would pay. What the short problem says
/// of the whole one is a proposal, which has to be looked at in the whole one.
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

  /// All operations in the ways of what stands for them.
  std::vector<int> waysOfWhole(const std::vector<int> &ways) const;

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
