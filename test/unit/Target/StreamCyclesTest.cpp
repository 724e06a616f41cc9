// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception

#include "npu/Target/StreamCycles.h"

#include <gtest/gtest.h>

#include <random>

namespace npu {
namespace {

/// A step as the definition in the header has it.
struct Step {
  int64_t load = 0, work = 0, store = 0;
};

/// Tells a random nest of loops to a clock, and writes down its steps one by
/// one.
class Unrolled {
public:
  explicit Unrolled(unsigned seed) : random(seed) {}

  /// Cycles by the definition: every step with those before and after it.
  int64_t expected() const {
    int64_t cycles = alone;
    for (size_t k = 0; k < steps.size(); ++k) {
      int64_t moved = (k + 1 < steps.size() ? steps[k + 1].load : 0) +
                      (k > 0 ? steps[k - 1].store : 0);
      cycles += std::max(steps[k].work, moved);
    }
    return steps.empty() ? cycles
                         : cycles + steps.front().load + steps.back().store;
  }

  /// The same loop, told as a loop.
  int64_t clocked(int depth) {
    make(depth);
    StreamClock clock;
    tell(clock, loop);
    return clock.total();
  }

private:
  struct Loop {
    int64_t rounds = 1, slots = 1;
    Step before, after;
    std::vector<Loop> inside;
  };

  int64_t pick(int64_t most) {
    return std::uniform_int_distribution<int64_t>(0, most)(random);
  }

  Loop randomLoop(int depth) {
    Loop made;
    made.rounds = 1 + pick(4);
    made.slots = 1 + pick(1);
    made.before.load = pick(3) ? pick(9) : 0;
    made.after = {0, 1 + pick(8), pick(1) * pick(9)};
    if (depth > 1)
      for (int64_t count = 1 + pick(1); count > 0; --count)
        made.inside.push_back(randomLoop(depth - 1));
    return made;
  }

  void make(int depth) {
    loop = randomLoop(depth);
    unroll(loop);
  }

  void begin() {
    if (isBegun || isRound)
      steps.push_back({pending, 0, 0});
    pending = 0;
    isBegun = isAlone = isRound = false;
  }

  void unroll(const Loop &each) {
    for (int64_t round = 0; round < each.rounds; ++round) {
      isRound = true;
      if (each.before.load > 0) {
        // What comes after a load that runs alone waits for it.
        isBegun = true;
        isAlone |= each.slots < 2;
        (isAlone ? alone : pending) += each.before.load;
      }
      for (const Loop &inner : each.inside)
        unroll(inner);
      if (each.after.work > 0) {
        begin();
        steps.back().work += each.after.work;
      }
      if (each.after.store > 0) {
        begin();
        (each.slots < 2 ? alone : steps.back().store) += each.after.store;
      }
    }
  }

  void tell(StreamClock &clock, const Loop &each) {
    clock.enterLoop(each.rounds, each.slots);
    clock.load(each.before.load);
    for (const Loop &inner : each.inside)
      tell(clock, inner);
    clock.work(each.after.work);
    clock.store(each.after.store);
    clock.leaveLoop();
  }

  std::mt19937 random;
  Loop loop;
  std::vector<Step> steps;
  int64_t pending = 0, alone = 0;
  bool isBegun = false, isAlone = false, isRound = false;
};

TEST(StreamCycles, OverlapsStepsOfTwoSlots) {
  StreamClock clock;
  clock.enterLoop(10, 2);
  clock.load(100);
  clock.work(80);
  clock.leaveLoop();
  EXPECT_EQ(clock.total(), 1080);
}

TEST(StreamCycles, AddsUpStepsOfOneSlot) {
  StreamClock clock;
  clock.enterLoop(10, 1);
  clock.load(100, 7);
  clock.work(80);
  clock.store(3);
  clock.leaveLoop();
  EXPECT_EQ(clock.total(), 1900);
}

TEST(StreamCycles, AddsUpWhatIsOutsideOfLoops) {
  StreamClock clock;
  clock.load(5, 1);
  clock.work(7);
  clock.store(9, 2);
  EXPECT_EQ(clock.total(), 24);
}

TEST(StreamCycles, StoresUnderTheNextStep) {
  StreamClock clock;
  clock.enterLoop(3, 2);
  clock.load(10);
  clock.work(100);
  clock.store(50);
  clock.leaveLoop();
  // Filling, three times the work, under which everything else is, and the
  // last store.
  EXPECT_EQ(clock.total(), 10 + 300 + 50);
}

TEST(StreamCycles, CountsManyRoundsAtOnce) {
  StreamClock clock;
  clock.enterLoop(int64_t{1} << 40, 2);
  clock.load(3);
  clock.work(2);
  clock.leaveLoop();
  EXPECT_EQ(clock.total(), 3 * (int64_t{1} << 40) + 2);
}

TEST(StreamCycles, EqualsStepsOneByOne) {
  for (unsigned seed = 0; seed < 20000; ++seed) {
    Unrolled nest(seed);
    int64_t clocked = nest.clocked(1 + seed % 3);
    ASSERT_EQ(clocked, nest.expected()) << "seed " << seed;
  }
}

} // namespace
} // namespace npu
