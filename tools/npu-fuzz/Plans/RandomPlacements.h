// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// Random shapes and distributions of every mode and form, small enough to be
// checked element by element, and the same on every machine.

#ifndef NPU_FUZZ_PLANS_RANDOMPLACEMENTS_H
#define NPU_FUZZ_PLANS_RANDOMPLACEMENTS_H

#include "npu/Placement/Distributions/Padding.h"

#include <random>

namespace npu {

/// Random numbers that depend on the seeds alone. No distribution or shuffle of
/// the standard library is used, because implementations differ.
class RandomNumbers {
public:
  explicit RandomNumbers(uint32_t seed) : generator(seed) {}
  /// A stream of its own for each case of each seed.
  RandomNumbers(uint64_t seed, uint64_t number);

  /// 0 to count - 1. Precondition: count is positive.
  int64_t below(int64_t count) {
    return static_cast<int64_t>(generator() % static_cast<uint64_t>(count));
  }
  int64_t between(int64_t low, int64_t high) {
    return low + below(high - low + 1);
  }
  bool oneIn(int64_t count) { return below(count) == 0; }

  template <typename Items>
  void shuffle(Items &items) {
    for (std::size_t i = items.size(); i > 1; --i)
      std::swap(items[i - 1], items[below(static_cast<int64_t>(i))]);
  }
  Permutation permutation(std::size_t rank);

private:
  std::mt19937 generator;
};

class RandomPlacements : public RandomNumbers {
public:
  using RandomNumbers::RandomNumbers;

  /// A random shape of rank 1 to `maxRank` with at most some 200 elements; at
  /// times an empty one.
  Extents shape(int64_t maxRank = 4);

  /// Any distribution that `place` accepts at that shape, of at most
  /// `maxTiles` tiles. A scalar's is always DUPLICATED.
  Distribution distribution(const Extents &shape, int64_t maxTiles = 6);

  Placement placement(const Extents &shape, int64_t maxTiles = 6) {
    return *place(distribution(shape, maxTiles), shape);
  }

  /// Padding of some dimensions: a range at the end, at the beginning or
  /// anywhere; at times no range or the whole dimension.
  Padding padding(const Extents &shape);

private:
  Mode mode();
  Distribution shortForm(const Extents &shape, int64_t maxTiles);
  Window window(std::size_t rank);
  Distribution explicitBoxes(const Extents &shape, int64_t maxTiles);
};

} // namespace npu

#endif // NPU_FUZZ_PLANS_RANDOMPLACEMENTS_H
