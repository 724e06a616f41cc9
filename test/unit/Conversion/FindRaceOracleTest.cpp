// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// findRace beside an oracle that compares every pair of operations, on random
// schedules: both find a race, or neither does, and what findRace names is one.

#include "FindRace.h"

#include "mlir/IR/Builders.h"
#include "mlir/IR/BuiltinOps.h"
#include "gtest/gtest.h"

#include <random>

using namespace npu;

namespace {

/// True if `later`, after `earlier` in the program, may run before it or at
/// the same time.
bool isOutOfOrder(const ScheduledOp &earlier, const ScheduledOp &later) {
  if (earlier.phase != later.phase)
    return later.phase < earlier.phase;
  if (earlier.part != later.part)
    return later.part < earlier.part;
  return earlier.part == Part::Task && earlier.tile != later.tile;
}

bool mayConflict(const ScheduledOp &a, const ScheduledOp &b) {
  if (!a.accesses || !b.accesses)
    return true;
  for (const BufferAccess &first : *a.accesses)
    for (const BufferAccess &second : *b.accesses)
      if (conflict(first, second))
        return true;
  return false;
}

bool isRace(const ScheduledOp &earlier, const ScheduledOp &later) {
  return isOutOfOrder(earlier, later) && mayConflict(earlier, later);
}

/// Every pair of them.
bool hasRace(llvm::ArrayRef<ScheduledOp> ops) {
  for (size_t later = 0; later < ops.size(); ++later)
    for (size_t earlier = 0; earlier < later; ++earlier)
      if (isRace(ops[earlier], ops[later]))
        return true;
  return false;
}

class FindRace : public testing::Test {
protected:
  static constexpr size_t maxOps = 24;

  FindRace()
      : builder(&context),
        module(mlir::ModuleOp::create(builder.getUnknownLoc())) {
    builder.setInsertionPointToStart(module->getBody());
    for (size_t i = 0; i < maxOps; ++i)
      named.push_back(mlir::ModuleOp::create(builder, builder.getUnknownLoc()));
    for (size_t i = 0; i < 4; ++i)
      roots.push_back(
          buffers.addArgument(builder.getIndexType(), builder.getUnknownLoc()));
  }

  int64_t pick(int64_t first, int64_t last) {
    return std::uniform_int_distribution<int64_t>(first, last)(random);
  }

  /// Buffers 0 and 1 are in DDR, 2 in space 1, 3 in space 2; the even ones have
  /// two dimensions.
  BufferAccess randomAccess() {
    int64_t root = pick(0, 3);
    BufferAccess access{std::max<int64_t>(0, root - 1), roots[root],
                        std::nullopt, pick(0, 2) == 0};
    if (pick(0, 15) == 0) {
      access.root = mlir::Value();
    } else if (pick(0, 9) != 0) {
      Box box;
      for (int64_t dim = 0; dim <= (root + 1) % 2; ++dim) {
        int64_t begin = pick(0, 11);
        box.push_back({begin, begin + pick(0, 3)});
      }
      access.box = box;
    }
    return access;
  }

  /// Phases rise slowly, so that many schedules have no race and many have one
  /// only.
  std::vector<ScheduledOp> randomSchedule() {
    std::vector<ScheduledOp> ops;
    size_t size = pick(2, maxOps);
    int64_t disorder = pick(0, 2);
    for (size_t i = 0; i < size; ++i) {
      ScheduledOp op{
          named[i], std::max<int64_t>(0, int64_t(i) / 3 - pick(0, disorder)),
          Part(pick(0, 9) < 7 ? 1 : pick(0, 2)), 0, BufferAccesses()};
      if (op.part == Part::Task)
        op.tile = pick(-1, 2);
      for (int64_t n = pick(0, 2); n >= 0; --n)
        op.accesses->push_back(randomAccess());
      if (pick(0, 99) == 0)
        op.accesses = std::nullopt;
      ops.push_back(std::move(op));
    }
    return ops;
  }

  mlir::MLIRContext context;
  mlir::OpBuilder builder;
  mlir::OwningOpRef<mlir::ModuleOp> module;
  mlir::Block buffers;
  std::vector<mlir::Operation *> named;
  std::vector<mlir::Value> roots;
  std::mt19937_64 random{20261122};
};

TEST_F(FindRace, FindsOneWhereAllPairsHaveOne) {
  int64_t withRace = 0, without = 0;
  for (int64_t round = 0; round < 40000; ++round) {
    std::vector<ScheduledOp> ops = randomSchedule();
    auto race = findRace(ops);
    ASSERT_EQ(race.has_value(), hasRace(ops)) << "round " << round;
    if (!race) {
      ++without;
      continue;
    }
    ++withRace;
    auto place = [&](mlir::Operation *op) {
      return llvm::find(named, op) - named.begin();
    };
    ASSERT_LT(place(race->first), place(race->second)) << "round " << round;
    ASSERT_TRUE(isRace(ops[place(race->first)], ops[place(race->second)]))
        << "round " << round;
  }
  EXPECT_GT(withRace, 4000);
  EXPECT_GT(without, 4000);
}

/// One access of a good schedule of many operations is made too early.
TEST_F(FindRace, FindsTheOneThatIsTooEarly) {
  for (int64_t round = 0; round < 2000; ++round) {
    std::vector<ScheduledOp> ops;
    for (size_t i = 0; i < maxOps; ++i)
      ops.push_back({named[i], int64_t(i), Part::Task, pick(0, 2),
                     BufferAccesses{randomAccess()}});
    ASSERT_FALSE(findRace(ops));
    ScheduledOp &moved = ops[pick(1, maxOps - 1)];
    moved.phase = pick(0, moved.phase);
    ASSERT_EQ(findRace(ops).has_value(), hasRace(ops)) << "round " << round;
  }
}

} // namespace
