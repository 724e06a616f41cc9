// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// A generic whose operands are indexed by any function of its loops, and when
// that is legal.

#ifndef NPU_LIB_FUZZ_STEPS_INDEXEDGENERIC_H
#define NPU_LIB_FUZZ_STEPS_INDEXEDGENERIC_H

#include "npu/Fuzz/Recipes/AffineIndex.h"
#include "npu/Fuzz/Recipes/StepKind.h"

namespace npu {

/// What is done with what is read.
enum Body : int64_t {
  Copy,
  Add,
  Most,
  AddIndex,
  SelectByIndex,
  // From here on what was in the output is read.
  Accumulate,
  AccumulateMost,
  BodyCount,
};

/// As a step's numbers: the body; two loops that it counts; how many inputs and
/// how many loops there are; whether the output is an operand (the last one); a
/// loop's extent where no input has it by itself; how much more than reached
/// the output has; then an index for each dimension of each input, and of the
/// output.
struct Indexed {
  Body body = Copy;
  int64_t first = 0, second = 0, inputs = 1, loops = 1, hasInit = 0, extent = 1,
          slack = 0;
  /// Of each input, and last of the output.
  std::vector<std::vector<AffineIndex>> maps;
};

std::vector<int64_t> numbersOf(const Indexed &op);

/// Nothing when the operands are of other ranks.
std::optional<Indexed> indexedOf(const Step &step, const Operands &operands);

/// Nothing where a loop has two extents, or none.
std::optional<std::vector<int64_t>> loopExtents(const Indexed &op,
                                                const Operands &operands);

/// The output is not indexed by it.
bool isReduction(const Indexed &op, int64_t loop);

/// Every element of the output is written by one point of the loops that are
/// not summed over.
bool writesOnce(const Indexed &op, std::span<const int64_t> extents);

/// Every index stays inside the tensor, and a loop by itself is all of it.
bool fits(std::span<const AffineIndex> map, std::span<const int64_t> loops,
          const Extents &shape);

/// What is read along loops that the output does not have is added up, in a
/// type that holds the sum in any order, or the largest of it is taken.
bool bodyIsSafe(const Indexed &op, ElementType type,
                std::span<const int64_t> extents, bool exact);

} // namespace npu

#endif // NPU_LIB_FUZZ_STEPS_INDEXEDGENERIC_H
