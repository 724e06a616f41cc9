// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// Numbers come from people, and some come from broken tools. Whatever is
// written, the answer is a placement or a sentence; a sanitized build of this
// test shows that nothing overflows on the way.

#include "Elements.h"
#include "npu/Placement/Plans/RedistributionPlan.h"

#include <gtest/gtest.h>

#include <random>

namespace npu {
namespace {

class Junk {
public:
  explicit Junk(uint32_t seed) : generator(seed) {}

  int64_t below(int64_t count) {
    return static_cast<int64_t>(generator() % static_cast<uint64_t>(count));
  }

  /// Mostly sensible, so that the later checks are reached.
  int64_t number(int64_t sensible) {
    static constexpr int64_t kPool[] = {-1,
                                        0,
                                        1,
                                        2,
                                        3,
                                        16,
                                        4096,
                                        4097,
                                        INT32_MAX,
                                        int64_t(1) << 31,
                                        int64_t(1) << 32,
                                        int64_t(1) << 40,
                                        int64_t(1) << 61,
                                        INT64_MAX / 2,
                                        INT64_MAX - 1,
                                        INT64_MAX,
                                        INT64_MIN,
                                        INT64_MIN + 1};
    return below(12) ? sensible : kPool[below(std::size(kPool))];
  }

  Extents numbers(std::size_t rank, int64_t most) {
    Extents result;
    for (std::size_t i = 0; i < rank; ++i)
      result.push_back(number(1 + below(most)));
    return result;
  }

  Extents shape(std::size_t rank) {
    static constexpr int64_t kExtents[] = {1,
                                           2,
                                           7,
                                           1000,
                                           int64_t(1) << 20,
                                           int64_t(1) << 31,
                                           int64_t(1) << 40,
                                           int64_t(1) << 61};
    Extents result;
    for (std::size_t i = 0; i < rank; ++i)
      result.push_back(number(kExtents[below(std::size(kExtents))]));
    return result;
  }

  Distribution distribution(std::size_t rank, const Extents &shape) {
    Distribution result;
    result.mode = static_cast<Mode>(below(5));
    result.split = static_cast<Split>(below(2));
    if (below(5))
      result.tiles = numbers(below(20) ? rank : 1 + below(kMaxRank), 3);
    if (below(12) == 0 || (result.tiles.empty() && below(2)))
      result.tileCount = number(1 + below(4));
    if (below(4) == 0)
      result.copies = number(1 + below(3));
    if (below(6) == 0)
      result.major = numbers(rank, static_cast<int64_t>(rank));
    if (below(3) == 0)
      result.align = numbers(rank, 64);
    while (below(2) == 0 && result.windows.size() < 3)
      result.windows.push_back({number(below(static_cast<int64_t>(rank))),
                                number(1 + below(9)), number(1 + below(4)),
                                number(below(5)), number(below(5)),
                                number(1 + below(3))});
    for (std::vector<Box> *boxes : {&result.compute, &result.memory})
      if (below(6) == 0)
        for (int64_t tile = below(4); tile >= 0; --tile) {
          Box box = Box::whole(shape);
          for (Range &range : boxRanges(box))
            range = {number(range.begin), number(range.end)};
          boxes->push_back(box);
        }
    return result;
  }

private:
  static std::span<Range> boxRanges(Box &box) {
    return box.rank() ? std::span<Range>(&box[0], box.rank())
                      : std::span<Range>();
  }

  std::mt19937 generator;
};

TEST(HugeNumbers, GiveAPlacementOrASentence) {
  Junk junk(1);
  int placed = 0, planned = 0;
  for (int round = 0; round < 60000; ++round) {
    std::size_t rank = 1 + junk.below(3);
    Extents shape = junk.shape(rank);
    std::vector<Placement> placements;
    for (int i = 0; i < 2; ++i) {
      Distribution distribution = junk.distribution(rank, shape);
      Result<> failure = checkDistribution(distribution);
      (void)tileCount(distribution);
      Result<Placement> placement = place(distribution, shape);
      if (!placement) {
        ASSERT_FALSE(placement.error().message.empty());
        continue;
      }
      ASSERT_TRUE(failure) << failure.error().message;
      ++placed;
      ASSERT_GE(totalFootprint(*placement), maxTileFootprint(*placement));
      Distribution shorter = canonical(distribution, shape);
      ASSERT_TRUE(sameMemory(*place(shorter, shape), *placement));
      std::vector<Box> memory, compute;
      for (const TileBoxes &boxes : placement->tiles) {
        memory.push_back(boxes.memory);
        compute.push_back(boxes.compute);
      }
      Distribution described =
          describe(shape, memory, &compute, distribution.windows);
      ASSERT_TRUE(sameMemory(*place(described, shape), *placement));
      if (placement->tiles.size() < 64)
        placements.push_back(*placement);
    }
    if (placements.size() < 2)
      continue;
    Result<RedistributionPlan> plan =
        planRedistribution(placements[0], placements[1]);
    ASSERT_TRUE(plan) << plan.error().message;
    ASSERT_EQ(plan->received.value, plan->received.bound);
    ASSERT_EQ(plan->maxTileReceived.value, plan->maxTileReceived.bound);
    ASSERT_EQ(plan->injected.value, plan->injected.bound);
    ASSERT_GE(plan->maxTileSent.value, plan->maxTileSent.bound);
    ASSERT_TRUE(planLoad(placements[0]));
    ASSERT_TRUE(planStore(placements[1]));
    ++planned;
  }
  EXPECT_GT(placed, 10000);
  EXPECT_GT(planned, 1000);
}

} // namespace
} // namespace npu
