// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// Where several tiles hold an element, who sends it decides how long the
// busiest sender is busy. The least possible maximum is known in closed form:
// for every set of tiles, what only they hold divided by their number. This
// file evaluates it over all sets and compares.

#include "Elements.h"
#include "RandomPlacements.h"
#include "npu/Placement/RedistributionPlan.h"

#include <gtest/gtest.h>

#include <bit>
#include <map>

namespace npu {
namespace {

/// The missing elements: by the tiles that hold them and those that miss them.
struct Class {
  int64_t count = 0;
  Box hull;
};
using Classes = std::map<std::pair<unsigned, unsigned>, Class>;

Classes classesOf(const Placement &source, const Placement &target) {
  const Extents &shape = source.shape;
  std::vector<unsigned> holders(elementCount(shape)), wanting = holders;
  for (std::size_t tile = 0; tile < source.tiles.size(); ++tile) {
    Elements box = elementsOf(source.tiles[tile].memory, shape);
    for (std::size_t i = 0; i < box.size(); ++i)
      holders[i] |= unsigned(box[i]) << tile;
  }
  for (std::size_t tile = 0; tile < target.tiles.size(); ++tile) {
    Elements box = elementsOf(target.tiles[tile].memory, shape);
    for (std::size_t i = 0; i < box.size(); ++i)
      wanting[i] |= unsigned(box[i]) << tile;
  }
  Classes classes;
  forEachElement(shape, [&](std::size_t i, const Extents &index) {
    unsigned missing = wanting[i] & ~holders[i];
    if (missing == 0)
      return;
    Box element;
    for (int64_t position : index)
      element.push_back({position, position + 1});
    Class &entry = classes[{holders[i], missing}];
    entry.hull = entry.count++ == 0 ? element : hull(entry.hull, element);
  });
  return classes;
}

/// max over sets of tiles T of ceil(|elements whose holders are in T| / |T|)
int64_t leastBusiest(const Classes &classes, std::size_t tiles) {
  int64_t most = 0;
  for (unsigned set = 1; set < 1u << tiles; ++set) {
    int64_t only = 0;
    for (const auto &[key, entry] : classes)
      if ((key.first & ~set) == 0)
        only += entry.count;
    int64_t size = std::popcount(set);
    most = std::max(most, (only + size - 1) / size);
  }
  return most;
}

/// No box of a class has a larger smallest slice than the hull of the class.
int64_t largestSlice(const Classes &classes) {
  int64_t most = 0;
  for (const auto &[key, entry] : classes) {
    int64_t longest = 1;
    for (const Range &range : entry.hull)
      longest = std::max(longest, range.extent());
    most = std::max(most, entry.hull.volume() / longest);
  }
  return most;
}

TEST(BusiestSender, IsWithinOneSliceOfTheClosedFormula) {
  RandomPlacements random(3);
  int plans = 0, atBound = 0;
  for (int round = 0; round < 6000; ++round) {
    Extents shape = random.shape();
    Placement source = random.placement(shape);
    Placement target = random.placement(shape);
    Classes classes = classesOf(source, target);
    RedistributionPlan plan = *planRedistribution(source, target);
    ASSERT_EQ(plan.maxTileSent.bound,
              leastBusiest(classes, source.tiles.size()));
    ASSERT_GE(plan.maxTileSent.value, plan.maxTileSent.bound);
    if (classes.empty())
      continue;
    ASSERT_LT(plan.maxTileSent.value,
              plan.maxTileSent.bound + largestSlice(classes));
    ++plans;
    atBound += plan.maxTileSent.value == plan.maxTileSent.bound;
  }
  // Most are at the bound itself; nearly all the others cannot be, with boxes
  // that are cut along one dimension.
  EXPECT_GT(plans, 2000);
  EXPECT_GE(atBound, plans * 92 / 100) << atBound << " of " << plans;
}

TEST(BusiestSender, TwoCutsWhereOneCannotBeExact) {
  // Tiles 0 and 1 hold everything and share 240 + 192 elements. 216 is neither
  // one of the pieces nor a number of slices of them, but half of each is.
  Extents shape{9, 6, 8};
  Distribution source, target;
  source.mode = Mode::Duplicated;
  source.tileCount = 2;
  target.mode = Mode::Overlapped;
  Box whole = Box::whole(shape);
  target.compute = {whole, whole, Box{{0, 5}, {0, 6}, {0, 8}},
                    Box{{5, 9}, {0, 6}, {0, 8}}};
  RedistributionPlan plan =
      *planRedistribution(*place(source, shape), *place(target, shape));
  EXPECT_EQ(plan.maxTileSent, (Bounded{216, 216}));
  EXPECT_EQ(plan.transfers.size(), 4u);
}

TEST(BusiestSender, WholePiecesWhereTheyBalance) {
  // Tiles 0 and 1 hold all; the others fetch 5, 4, 3 and 2 of 14. Without a
  // cut, 5 + 2 and 4 + 3 are even.
  Distribution source, target;
  source.mode = Mode::Duplicated;
  source.tileCount = 2;
  target.compute = {Box{{0, 0}}, Box{{0, 0}},  Box{{0, 5}},
                    Box{{5, 9}}, Box{{9, 12}}, Box{{12, 14}}};
  RedistributionPlan plan =
      *planRedistribution(*place(source, {14}), *place(target, {14}));
  EXPECT_EQ(plan.maxTileSent, (Bounded{7, 7}));
  EXPECT_EQ(plan.transfers.size(), 4u);
}

} // namespace
} // namespace npu
