// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// What devices have: the built-in ones' figures, and what is no device.

#include "npu/Target/Target.h"

#include <gtest/gtest.h>

#include <set>

using namespace npu;

TEST(Target, Builtin) {
  ASSERT_EQ(builtinTargetNames(), "npu3720, npu4000");
  Target npu3720{"npu3720",     2, 2, 1982464, 2, 27'000'000'000,
                 1'300'000'000, 16};
  Target npu4000{"npu4000",     4, 6, 1474560, 2, 136'000'000'000,
                 1'700'000'000, 16};
  npu3720.costs = costFiguresOf("npu3720");
  npu4000.costs = costFiguresOf("npu4000");
  EXPECT_NE(npu3720.costs, npu4000.costs);
  ASSERT_NE(findBuiltinTarget("npu3720"), nullptr);
  EXPECT_EQ(*findBuiltinTarget("npu3720"), npu3720);
  ASSERT_NE(findBuiltinTarget("npu4000"), nullptr);
  EXPECT_EQ(*findBuiltinTarget("npu4000"), npu4000);
  EXPECT_EQ(findBuiltinTarget("npu5000"), nullptr);
  for (const Target &target : builtinTargets())
    EXPECT_TRUE(checkTarget(target)) << checkTarget(target).error().message;
}

// A field that the table forgets would be neither read nor checked.
TEST(Target, TableHasEveryField) {
  std::set<std::string_view> names;
  Target target;
  for (const TargetField &field : targetFields()) {
    names.insert(field.name);
    target.*field.value = 7;
  }
  EXPECT_EQ(names.size(), targetFields().size());
  EXPECT_EQ(target, (Target{"", 7, 7, 7, 7, 7, 7, 7, 7, 7, 7, 7, 7}));
}

TEST(Target, SixteenTiles) {
  Target mine{"mine", 16, 16, 2 << 20, 4, 60'000'000'000, 2'000'000'000, 32};
  EXPECT_TRUE(checkTarget(mine));
  mine.maxTiles = mine.tiles = 4096;
  EXPECT_TRUE(checkTarget(mine));
}

TEST(Target, Refused) {
  const Target good = *findBuiltinTarget("npu4000");
  for (const TargetField &field : targetFields())
    for (int64_t value : {int64_t{0}, int64_t{-1}, field.most + 1}) {
      Target bad = good;
      bad.*field.value = value;
      // 0 of what nothing reads is a figure that is not known.
      if (value == 0 && !field.isNeeded) {
        EXPECT_TRUE(checkTarget(bad)) << field.name;
        EXPECT_EQ(!checkFigure(field, value), field.least > 0) << field.name;
        continue;
      }
      Result<> error = checkTarget(bad);
      ASSERT_FALSE(error) << field.name << " = " << value;
      EXPECT_EQ(error.error().message, "expected '" + std::string(field.name) +
                                           "' from " +
                                           std::to_string(field.least) +
                                           " to " + std::to_string(field.most) +
                                           ", got " + std::to_string(value));
    }
  Target nameless = good;
  nameless.name.clear();
  EXPECT_EQ(checkTarget(nameless).error().message, "expected a name, got none");
  Target gridless = good;
  gridless.costs.grid = 1;
  EXPECT_EQ(checkTarget(gridless).error().message,
            "expected 'grid' from 2 to 1048576, got 1");
  Target inverted = good;
  inverted.tiles = 7;
  EXPECT_EQ(checkTarget(inverted).error().message,
            "expected 'tiles' of at most 'max_tiles' (6), got 7");
}

// A device of several machines says all of them, and one machine nothing.
TEST(Target, Machines) {
  Target target = *findBuiltinTarget("npu4000");
  EXPECT_FALSE(target.machines().areSeveral());
  target.machineTiles = 2;
  EXPECT_EQ(checkTarget(target).error().message,
            "expected all figures of several machines ('machine_tiles', "
            "'machine_link_latency', 'machine_link_rate') or none, got none "
            "for 'machine_link_latency', 'machine_link_rate'");
  target.machineLinkLatency = 2000;
  target.machineLinkRate = 7000;
  EXPECT_TRUE(checkTarget(target));
  EXPECT_EQ(target.machines(), Machines{2});
  // The last one may have fewer tiles.
  target.machineTiles = 4;
  EXPECT_TRUE(checkTarget(target));
  target.machineTiles = 0;
  EXPECT_FALSE(checkTarget(target));
}
