// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// The table of modes against what placements show: each property of a row is
// seen in the boxes of a split tensor.

#include "npu/Placement/Distributions/Placement.h"

#include <gtest/gtest.h>

using namespace npu;

TEST(Mode, WordsAreReadBackInEitherOrder) {
  for (const ModeTraits &row : allModes()) {
    std::string words(row.words);
    std::size_t bar = words.find('|');
    if (bar == std::string::npos) {
      EXPECT_EQ(parseMode(words), row.mode);
      continue;
    }
    EXPECT_EQ(parseMode(words), std::nullopt);
    EXPECT_EQ(parseMode(words.substr(0, bar), words.substr(bar + 1)), row.mode);
    EXPECT_EQ(parseMode(words.substr(bar + 1), words.substr(0, bar)), row.mode);
  }
  EXPECT_EQ(parseMode("MULTICASTED"), std::nullopt);
  EXPECT_EQ(parseMode("OVERLAPPED", "DUPLICATED"), std::nullopt);
  EXPECT_EQ(parseMode(""), std::nullopt);
}

TEST(Mode, ListsForMessages) {
  EXPECT_EQ(listModes(" or "),
            "SEGMENTED, OVERLAPPED, DUPLICATED, SEGMENTED|DUPLICATED or "
            "SEGMENTED|MULTICASTED");
  EXPECT_EQ(modeWords(),
            (std::vector<std::string_view>{"SEGMENTED", "OVERLAPPED",
                                           "DUPLICATED", "MULTICASTED"}));
}

TEST(Mode, RowsSayWhatPlacementsShow) {
  Extents shape = {8, 4};
  Box whole = Box::whole(shape);
  for (const ModeTraits &row : allModes()) {
    Distribution distribution;
    distribution.mode = row.mode;
    distribution.tiles = {4, 1};
    Result<Placement> placement = place(distribution, shape);
    ASSERT_TRUE(placement) << row.words;
    for (const TileBoxes &tile : placement->tiles) {
      EXPECT_EQ(tile.compute == whole, !row.splits) << row.words;
      EXPECT_EQ(tile.memory == whole, row.holdsWhole) << row.words;
    }

    // A single count instead of counts per dimension.
    distribution.tiles.clear();
    distribution.tileCount = 4;
    EXPECT_EQ(bool(place(distribution, shape)), !row.splits) << row.words;

    // Rows 0 to 4 and 4 to 8, and row 3 on both tiles.
    Distribution boxes;
    boxes.mode = row.mode;
    boxes.compute = {Box{{0, 4}, {0, 4}}, Box{{3, 8}, {0, 4}}};
    EXPECT_EQ(bool(place(boxes, shape)), !row.computesOnce) << row.words;

    distribution.tileCount = 0;
    distribution.tiles = {4, 1};
    distribution.windows = {Window{.dim = 0, .kernel = 3, .padLo = 1}};
    EXPECT_EQ(static_cast<bool>(checkDistribution(distribution)), row.hasHalo)
        << row.words;
  }
}
