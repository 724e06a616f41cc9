// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// A generic whose operands are indexed by any functions of its loops, and the
// rules by which it is legal.

#ifndef NPU_FUZZ_STEPS_INDEXEDGENERIC_H
#define NPU_FUZZ_STEPS_INDEXEDGENERIC_H

#include "npu-fuzz/Recipes/AffineIndex.h"
#include "npu-fuzz/Recipes/StepKind.h"

namespace npu {

/// What the body does with the entries that it reads.
enum Body : int64_t {
  Copy,
  Add,
  Most,
  AddIndex,
  SelectByIndex,
  // The bodies from here on read the output.
  Accumulate,
  AccumulateMost,
  BodyCount,
};

/// The numbers of a step: the body; two loops that it uses as numbers; how many
/// inputs and how many loops there are; whether the output is an operand (the
/// last one); a loop's extent where no input has it as a plain dimension; how
/// many more entries than are reached the output has; then an index for each
/// dimension of each input, and of the output.
struct Indexed {
  Body body = Copy;
  int64_t first = 0, second = 0, inputs = 1, loops = 1, hasInit = 0, extent = 1,
          slack = 0;
  /// The map of each input, and at last that of the output.
  std::vector<std::vector<AffineIndex>> maps;
};

std::vector<int64_t> numbersOf(const Indexed &op);

/// Decodes the numbers of a step; nothing when the operands have other ranks.
std::optional<Indexed> indexedOf(const Step &step, const Operands &operands);

/// The extents of the loops; nothing where a loop has two extents, or none.
std::optional<std::vector<int64_t>> loopExtents(const Indexed &op,
                                                const Operands &operands);

/// Whether the output is not indexed by the loop.
bool isReduction(const Indexed &op, int64_t loop);

/// Whether every element of the output is written by one point of the loops
/// that are not reduced.
bool writesOnce(const Indexed &op, std::span<const int64_t> extents);

/// Whether every index stays inside the tensor, and a plain loop is a whole
/// dimension.
bool fits(std::span<const AffineIndex> map, std::span<const int64_t> loops,
          const Extents &shape);

/// Whether entries along loops that the output does not have are added up in a
/// type that holds the sum in any order, or their maximum is taken.
bool bodyIsSafe(const Indexed &op, ElementType type,
                std::span<const int64_t> extents, bool exact);

} // namespace npu

#endif // NPU_FUZZ_STEPS_INDEXEDGENERIC_H
