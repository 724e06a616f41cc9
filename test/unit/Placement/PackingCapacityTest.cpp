// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// Packings within a capacity: perfect ones where a problem was cut from a full
// scratchpad, which first fit does not find, and proofs that nothing fits, held
// against an exhaustive search.

#include "LeastPeak.h"
#include "npu/Placement/Scratchpad/PackingTable.h"

#include <gtest/gtest.h>

#include <algorithm>
#include <random>

using namespace npu;

namespace {

using Buffers = std::vector<Buffer>;

constexpr int64_t kCapacity = 1048576;

struct Cut {
  int64_t first, end, low, high;
};

/// Cuts a rectangle of `steps` and kCapacity bytes into buffers, and drops half
/// of those outside a window of time: problems as compilers have them, full in
/// some sections only.
Buffers cutBuffers(unsigned seed, int count, int64_t steps, int64_t granule) {
  std::mt19937 random(seed);
  auto below = [&](int64_t n) { return static_cast<int64_t>(random() % n); };
  auto area = [](const Cut &cut) {
    return static_cast<double>(cut.end - cut.first) *
           static_cast<double>(cut.high - cut.low);
  };
  std::vector<Cut> cuts{{0, steps, 0, kCapacity}};
  while (static_cast<int>(cuts.size()) < count) {
    int64_t at = below(cuts.size());
    for (int i = 0; i < 3; ++i)
      if (int64_t other = below(cuts.size());
          area(cuts[other]) > area(cuts[at]))
        at = other;
    Cut lower = cuts[at];
    Cut upper = cuts[at];
    int64_t rows = (lower.high - lower.low) / granule;
    if (bool overTime = below(2); overTime && lower.end - lower.first >= 2)
      lower.end = upper.first =
          lower.first + 1 + below(lower.end - lower.first - 1);
    else if (!overTime && rows >= 2)
      lower.high = upper.low = lower.low + granule * (1 + below(rows - 1));
    else
      continue;
    cuts[at] = lower;
    cuts.push_back(upper);
  }
  int64_t window = steps / 4 + below(steps / 2);
  Buffers buffers;
  for (const Cut &cut : cuts) {
    bool outside = cut.end <= window || cut.first > window + steps / 20;
    if (!outside || below(2))
      buffers.push_back({cut.high - cut.low, 1, cut.first, cut.end - 1, {}});
  }
  // In no order that gives the cuts away.
  for (size_t i = buffers.size(); i > 1; --i)
    std::swap(buffers[i - 1], buffers[below(static_cast<int64_t>(i))]);
  return buffers;
}

/// Few buffers of all alignments, so that they are often in each other's way.
Buffers smallBuffers(unsigned seed) {
  std::mt19937 random(seed);
  auto below = [&](int64_t n) { return static_cast<int64_t>(random() % n); };
  Buffers buffers;
  for (unsigned i = 0; i < 2 + seed % 5; ++i) {
    Buffer buffer{
        below(6) + 1, int64_t{1} << (seed % 2 ? below(4) : 2), below(8), 0, {}};
    buffer.last = buffer.first + below(5);
    buffers.push_back(buffer);
  }
  return buffers;
}

} // namespace

TEST(PackingCapacity, PerfectPackings) {
  for (unsigned seed = 0; seed < 60; ++seed) {
    Buffers buffers = cutBuffers(seed, 200 + static_cast<int>(seed) * 4,
                                 20 << seed % 5, seed % 2 ? 512 : 1);
    ASSERT_TRUE(checkBuffers(buffers));
    BufferPlan plan = packBuffers(buffers);
    Result<> error = checkPlan(buffers, plan);
    EXPECT_TRUE(error) << error.error().message;
    EXPECT_EQ(plan.bound, kCapacity) << seed;
    EXPECT_EQ(plan.peak, kCapacity) << seed;
  }
}

// The oracle proves what fits and what does not, with alignments of 1 to 8.
TEST(PackingCapacity, ProvesTheLeastPeak) {
  int aboveBound = 0;
  for (unsigned seed = 0; seed < 400; ++seed) {
    Buffers buffers = smallBuffers(seed);
    std::vector<int64_t> offsets;
    int64_t least = leastPeak(buffers, offsets, 1000);
    BufferPlan plan = packBuffers(buffers);
    EXPECT_TRUE(checkPlan(buffers, plan)) << seed;
    EXPECT_EQ(plan.peak, least) << seed;
    EXPECT_EQ(plan.least, least) << seed;
    aboveBound += plan.bound < least;
    BufferPlan within = packBuffers(buffers, {.capacity = least + 3});
    EXPECT_LE(within.peak, least + 3) << seed;
    EXPECT_LE(within.least, least) << seed;
    EXPECT_TRUE(checkPlan(buffers, within)) << seed;
  }
  EXPECT_GT(aboveBound, 20);
}

// Little work leaves a plan that is right, and a bound that is true.
TEST(PackingCapacity, StopsAtItsLimit) {
  for (unsigned seed = 0; seed < 6; ++seed) {
    Buffers buffers = cutBuffers(seed, 300, 160, 1);
    BufferPlan plan = packBuffers(buffers, {.work = 1});
    EXPECT_TRUE(checkPlan(buffers, plan)) << seed;
    EXPECT_EQ(plan.least, kCapacity);
    EXPECT_GE(plan.peak, kCapacity);
  }
}

TEST(PackingCapacity, SamePlanEveryTime) {
  Buffers buffers = cutBuffers(1, 250, 80, 512);
  EXPECT_EQ(packBuffers(buffers).offsets, packBuffers(buffers).offsets);
}

TEST(PackingCapacity, PlacesAChainAsOne) {
  Buffers chain{{4, 8, 0, 1, {}}, {4, 8, 1, 2, {0}}, {3, 8, 1, 4, {}}};
  std::vector<int> numbers;
  Buffers placed = placedBuffers(chain, packBuffers(chain), numbers);
  EXPECT_EQ(placed, (Buffers{{4, 8, 0, 2, {}}, {3, 8, 1, 4, {}}}));
  EXPECT_EQ(numbers, (std::vector<int>{0, 2}));
}

TEST(PackingCapacity, Table) {
  Buffers two{{4, 1, 0, 1, {}}, {5, 1, 1, 2, {}}};
  EXPECT_EQ(packingTable(two), "id,lower,upper,size\n0,0,2,4\n1,1,3,5\n");
  two[1].alignment = 8;
  BufferPlan plan = describePlan(two, {0, 8});
  std::vector<std::string> ids{"a", "b"};
  EXPECT_EQ(packingTable(two, ids, &plan),
            "id,lower,upper,size,alignment,offset\na,0,2,4,1,0\n"
            "b,1,3,5,8,8\n");
}
