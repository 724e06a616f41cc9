// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// Plans of a scratchpad: right by a check that compares every pair, as small as
// an exhaustive search finds on small instances, and near the bound on large
// ones.

#include "npu/Placement/Scratchpad/PackBuffers.h"
#include "LeastPeak.h"
#include "npu/Placement/Scratchpad/SpreadBuffers.h"

#include <gtest/gtest.h>

#include <algorithm>
#include <random>

using namespace npu;

namespace {

using Buffers = std::vector<Buffer>;

/// The check's oracle: every pair of buffers, step by step.
bool isRight(const Buffers &buffers, const BufferPlan &plan) {
  int64_t peak = 0;
  for (size_t a = 0; a < buffers.size(); ++a) {
    if (plan.offsets[a] < 0 || plan.offsets[a] % buffers[a].alignment)
      return false;
    if (buffers[a].bytes)
      peak = std::max(peak, plan.offsets[a] + buffers[a].bytes);
    for (size_t b = 0; b < a; ++b) {
      bool overTime = buffers[a].first <= buffers[b].last &&
                      buffers[b].first <= buffers[a].last;
      bool overBytes = std::max(plan.offsets[a], plan.offsets[b]) <
                       std::min(plan.offsets[a] + buffers[a].bytes,
                                plan.offsets[b] + buffers[b].bytes);
      auto replaces = [&](size_t x, size_t y) {
        return plan.offsets[x] == plan.offsets[y] &&
               std::ranges::count(buffers[x].mayReplace, static_cast<int>(y));
      };
      if (overTime && overBytes && !replaces(a, b) && !replaces(b, a))
        return false;
    }
  }
  return peak == plan.peak;
}

int64_t leastPeak(const Buffers &buffers) {
  std::vector<int64_t> offsets;
  return leastPeak(buffers, offsets, 1000);
}

Buffers randomBuffers(std::mt19937 &random, int count, int steps, int longest,
                      int64_t bytes, int64_t alignment) {
  auto below = [&](int64_t n) { return static_cast<int64_t>(random() % n); };
  Buffers buffers;
  for (int i = 0; i < count; ++i) {
    Buffer buffer{below(bytes) + 1, alignment, below(steps), 0, {}};
    buffer.last = buffer.first + below(longest);
    buffers.push_back(buffer);
  }
  return buffers;
}

/// Lets some buffers replace others where that is allowed.
void addReplacements(std::mt19937 &random, Buffers &buffers) {
  for (Buffer &buffer : buffers)
    for (size_t other = 0; other < buffers.size(); ++other)
      if (buffers[other].last == buffer.first &&
          buffers[other].first < buffer.first &&
          buffers[other].bytes == buffer.bytes && random() % 2)
        buffer.mayReplace.push_back(static_cast<int>(other));
}

double averageOverBound(int count, int steps, int longest, int instances) {
  double sum = 0;
  for (int seed = 0; seed < instances; ++seed) {
    std::mt19937 random(seed);
    Buffers buffers = randomBuffers(random, count, steps, longest, 10000, 64);
    EXPECT_TRUE(checkBuffers(buffers));
    BufferPlan plan = packBuffers(buffers);
    Result<> error = checkPlan(buffers, plan);
    EXPECT_TRUE(error) << error.error().message;
    EXPECT_GE(plan.peak, plan.bound);
    sum += static_cast<double>(plan.peak) / static_cast<double>(plan.bound);
  }
  return sum / instances;
}

} // namespace

TEST(PackBuffers, Nothing) {
  BufferPlan plan = packBuffers({});
  EXPECT_EQ(plan.peak, 0);
  EXPECT_EQ(plan.bound, 0);
  Buffers empty{{0, 64, 0, 5, {}}, {0, 64, 0, 5, {}}};
  EXPECT_EQ(packBuffers(empty).peak, 0);
  EXPECT_TRUE(checkPlan(empty, packBuffers(empty)));
}

TEST(PackBuffers, ReusesWhatEnded) {
  Buffers chain{{4, 1, 0, 1, {}}, {4, 1, 1, 2, {}}, {4, 1, 2, 3, {}}};
  BufferPlan plan = packBuffers(chain);
  EXPECT_EQ(plan.peak, 8);
  EXPECT_EQ(plan.offsets, (std::vector<int64_t>{0, 4, 0}));
}

TEST(PackBuffers, ReplacesInPlace) {
  Buffers chain{{4, 1, 0, 1, {}}, {4, 1, 1, 2, {0}}, {4, 1, 2, 3, {1}}};
  BufferPlan plan = packBuffers(chain);
  EXPECT_EQ(plan.peak, 4);
  EXPECT_EQ(plan.bound, 4);
  EXPECT_EQ(plan.replaced, (std::vector<int>{-1, 0, 1}));
  // Two may not take one place.
  Buffers two{{4, 1, 0, 1, {}}, {4, 1, 1, 2, {0}}, {4, 1, 1, 2, {0}}};
  plan = packBuffers(two);
  EXPECT_EQ(plan.peak, 8);
  EXPECT_TRUE(checkPlan(two, plan));
}

TEST(PackBuffers, AlignmentCountsInTheBound) {
  Buffers two{{1, 64, 0, 0, {}}, {1, 64, 0, 0, {}}};
  EXPECT_EQ(mostInUse(two).bytes, 65);
  EXPECT_EQ(packBuffers(two).peak, 65);
}

TEST(PackBuffers, LeastPeakOfSmallInstances) {
  for (int seed = 0; seed < 400; ++seed) {
    std::mt19937 random(seed);
    Buffers buffers =
        randomBuffers(random, 2 + seed % 5, 6, 4, 5, int64_t{1} << seed % 3);
    BufferPlan plan = packBuffers(buffers);
    EXPECT_TRUE(isRight(buffers, plan)) << seed;
    EXPECT_TRUE(checkPlan(buffers, plan)) << seed;
    EXPECT_EQ(plan.peak, leastPeak(buffers)) << seed;
    EXPECT_LE(plan.bound, plan.peak) << seed;
  }
}

TEST(PackBuffers, RandomReplacementsAreRight) {
  int replaced = 0;
  for (int seed = 0; seed < 300; ++seed) {
    std::mt19937 random(seed);
    Buffers buffers = randomBuffers(random, 40, 20, 6, 3, 8);
    addReplacements(random, buffers);
    ASSERT_TRUE(checkBuffers(buffers));
    BufferPlan plan = packBuffers(buffers);
    EXPECT_TRUE(isRight(buffers, plan)) << seed;
    EXPECT_TRUE(checkPlan(buffers, plan)) << seed;
    EXPECT_GE(plan.peak, plan.bound) << seed;
    EXPECT_LE(plan.bound, mostInUse(buffers).bytes) << seed;
    replaced += 40 - std::ranges::count(plan.replaced, -1);
  }
  EXPECT_GT(replaced, 1000);
}

// The check agrees with its oracle on plans that somebody spoiled.
TEST(PackBuffers, CheckSeesWhatIsWrong) {
  int wrong = 0;
  for (int seed = 0; seed < 2000; ++seed) {
    std::mt19937 random(seed);
    Buffers buffers = randomBuffers(random, 12, 10, 4, 3, 1);
    addReplacements(random, buffers);
    BufferPlan plan = packBuffers(buffers);
    size_t moved = random() % buffers.size();
    plan.offsets[moved] = random() % (plan.peak + 1);
    plan.peak = 0;
    for (size_t i = 0; i < buffers.size(); ++i)
      plan.peak = std::max(plan.peak, plan.offsets[i] + buffers[i].bytes);
    EXPECT_EQ(isRight(buffers, plan),
              static_cast<bool>(checkPlan(buffers, plan)))
        << seed;
    wrong += !isRight(buffers, plan);
  }
  EXPECT_GT(wrong, 500);
}

TEST(PackBuffers, NearTheBound) {
  EXPECT_LE(averageOverBound(30, 30, 20, 20), 1.01);
  EXPECT_LE(averageOverBound(300, 300, 20, 5), 1.01);
  EXPECT_LE(averageOverBound(300, 300, 300, 2), 1.03);
}

// A model's layers: weights from the beginning, short-lived values in between.
TEST(PackBuffers, ManyBuffers) {
  std::mt19937 random(1);
  Buffers buffers = randomBuffers(random, 20000, 20000, 8, 100000, 64);
  for (int i = 0; i < 400; ++i)
    buffers.push_back({50000, 64, 0, 50 * i, {}});
  BufferPlan plan = packBuffers(buffers);
  Result<> error = checkPlan(buffers, plan);
  EXPECT_TRUE(error) << error.error().message;
  EXPECT_LE(static_cast<double>(plan.peak),
            1.02 * static_cast<double>(plan.bound));
}

TEST(PackBuffers, SameInputSamePlan) {
  std::mt19937 random(3);
  Buffers buffers = randomBuffers(random, 100, 50, 30, 1000, 16);
  EXPECT_EQ(packBuffers(buffers).offsets, packBuffers(buffers).offsets);
}

TEST(SpreadBuffers, TakesPlacesThatWereFreeForLong) {
  Buffers chain{{4, 1, 0, 1, {}}, {4, 1, 2, 3, {}}, {4, 1, 4, 5, {}}};
  BufferPlan plan = packBuffers(chain);
  EXPECT_EQ(plan.offsets, (std::vector<int64_t>{0, 0, 0}));
  // The first two slots are 2 bytes, so that buffers go to the lowest places.
  std::vector<int64_t> slots{2, 2, 2};
  EXPECT_EQ(spreadBuffers(chain, plan, 8, slots).offsets,
            (std::vector<int64_t>{0, 4, 0}));
  EXPECT_EQ(spreadBuffers(chain, plan, 12, slots).offsets,
            (std::vector<int64_t>{0, 4, 8}));
  // Without slots they go to the highest ones.
  std::vector<int64_t> whole{4, 4, 4};
  EXPECT_EQ(spreadBuffers(chain, plan, 12, whole).offsets,
            (std::vector<int64_t>{8, 4, 0}));
}

TEST(SpreadBuffers, KeepsPlansValid) {
  for (int seed = 0; seed < 400; ++seed) {
    std::mt19937 random(seed);
    Buffers buffers =
        randomBuffers(random, 2 + seed % 60, 20, 8, 50, int64_t{1} << seed % 4);
    addReplacements(random, buffers);
    BufferPlan plan = packBuffers(buffers);
    int64_t capacity = plan.peak + random() % 200;
    std::vector<int64_t> firstPart;
    for (const Buffer &buffer : buffers)
      firstPart.push_back(buffer.bytes / (1 + random() % 3));
    BufferPlan spread = spreadBuffers(buffers, plan, capacity, firstPart);
    Result<> error = checkPlan(buffers, spread);
    EXPECT_TRUE(error) << "seed " << seed << ": " << error.error().message;
    EXPECT_LE(spread.peak, capacity);
    for (size_t i = 0; i < buffers.size(); ++i)
      if (plan.replaced[i] >= 0) {
        EXPECT_EQ(spread.offsets[i], spread.offsets[plan.replaced[i]]);
      }
  }
}

TEST(PackBuffers, Refused) {
  auto message = [](Buffers buffers) {
    Result<> error = checkBuffers(buffers);
    return error ? "" : error.error().message;
  };
  EXPECT_EQ(message({{-1, 1, 0, 0, {}}}),
            "buffer 0: expected no negative bytes, got -1");
  EXPECT_EQ(message({{1, 3, 0, 0, {}}}),
            "buffer 0: expected a power of two as alignment, got 3");
  EXPECT_EQ(message({{1, 0, 0, 0, {}}}),
            "buffer 0: expected a power of two as alignment, got 0");
  EXPECT_EQ(message({{1, 1, 2, 1, {}}}),
            "buffer 0: expected a first step before the last, got 2 and 1");
  EXPECT_EQ(message({{1, 1, 1, 1, {7}}}),
            "buffer 0: expected a buffer to replace, got number 7");
  EXPECT_EQ(message({{1, 1, 0, 1, {}}, {2, 1, 1, 1, {0}}}),
            "buffer 1: expected a buffer of the same bytes that begins earlier "
            "and ends where this one begins, got buffer 0");
  int64_t half = int64_t{1} << 59;
  EXPECT_EQ(message({{half, 1, 0, 1, {}}, {half, 1, 1, 1, {}}}),
            "buffer 1: expected at most 1152921504606846976 bytes in all, got "
            "more");
  EXPECT_EQ(message({{1, 64, 0, 3, {}}, {1, 1, 3, 3, {0}}}), "");
}
