// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// Pictures: lines fit 80 columns whatever the placement is, and where every
// entry has columns of its own, each is what a look into the boxes says.

#include "npu/Placement/Pictures/Lines.h"
#include "npu/Placement/Pictures/PlacementPicture.h"
#include "npu/Placement/Pictures/TrafficPicture.h"

#include <gtest/gtest.h>

#include <random>
#include <sstream>

using namespace npu;

namespace {

std::vector<std::string> linesOf(const std::string &text) {
  std::istringstream stream(text);
  std::vector<std::string> lines;
  for (std::string line; std::getline(stream, line);)
    lines.push_back(line);
  return lines;
}

void expectToFit(const std::string &text) {
  for (const std::string &line : linesOf(text))
    EXPECT_LE(line.size(), terminalColumns) << line;
}

TEST(Lines, EndAtBlanksAndWithinLongWords) {
  EXPECT_EQ(wrapped("short", 2), "short\n");
  std::string words;
  for (int i = 0; i < 30; ++i)
    words += "word" + std::to_string(i) + " ";
  expectToFit(wrapped(words, 6));
  EXPECT_EQ(linesOf(wrapped(words, 6)).size(), 3u);
  EXPECT_EQ(linesOf(wrapped(words, 6))[1].substr(0, 10), "      word");
  std::vector<std::string> cut = linesOf(wrapped(words, 6, /*mostLines=*/2));
  ASSERT_EQ(cut.size(), 2u);
  EXPECT_TRUE(cut[1].ends_with(" ..."));
  EXPECT_EQ(linesOf(wrapped("  " + std::string(200, 'x'), 4)).size(), 3u);
  expectToFit(wrapped("  " + std::string(200, 'x'), 4));
  expectToFit(wrapped(std::string(200, ' '), 4));
}

/// Ranges of one dimension, some of which overlap and some of which are empty.
Placement randomBars(std::mt19937 &random, int64_t extent) {
  Placement placement;
  placement.shape = {extent};
  for (int tile = 0; tile < 5; ++tile) {
    int64_t begin = random() % extent;
    int64_t end = begin + random() % (extent - begin + 1);
    int64_t before = random() % (begin + 1);
    int64_t after = end + random() % (extent - end + 1);
    TileBoxes boxes{Box{{begin, end}}, Box{{before, after}}};
    if (boxes.compute.isEmpty() && random() % 2)
      boxes.memory = boxes.compute;
    placement.tiles.push_back(boxes);
  }
  return placement;
}

char stateOf(const Placement &placement, size_t tile, int64_t entry,
             Range padding) {
  auto has = [&](const Box &box) {
    return box[0].begin <= entry && entry < box[0].end;
  };
  const TileBoxes &boxes = placement.tiles[tile];
  if (!has(boxes.memory))
    return ' ';
  if (padding.begin <= entry && entry < padding.end)
    return '.';
  if (!has(boxes.compute))
    return '+';
  for (size_t other = 0; other < placement.tiles.size(); ++other)
    if (other != tile && has(placement.tiles[other].compute))
      return '*';
  return '#';
}

TEST(Pictures, ShowEachEntryOfABar) {
  std::mt19937 random(1);
  for (int round = 0; round < 500; ++round) {
    constexpr int64_t extent = 12, columnsOfEntry = 4;
    Placement placement = randomBars(random, extent);
    Range padding{8, 10};
    std::vector<PaddedRange> padded{{0, padding}};
    std::vector<std::string> lines =
        linesOf(pictureOf(placement, {}, padded, 0, 4));
    ASSERT_EQ(lines.size(), 2 + placement.tiles.size());
    for (size_t tile = 0; tile < placement.tiles.size(); ++tile) {
      const std::string &line = lines[2 + tile];
      std::string bar = line.substr(line.find('|') + 1);
      ASSERT_EQ(bar.size(), extent * columnsOfEntry + 1);
      for (int64_t entry = 0; entry < extent; ++entry)
        for (int64_t column = 0; column < columnsOfEntry; ++column)
          EXPECT_EQ(bar[entry * columnsOfEntry + column],
                    stateOf(placement, tile, entry, padding))
              << "tile " << tile << ", entry " << entry << "\n"
              << line;
    }
  }
}

TEST(Pictures, FitWhateverIsCut) {
  std::mt19937 random(2);
  for (int round = 0; round < 300; ++round) {
    Placement placement;
    size_t rank = random() % 6;
    for (size_t dim = 0; dim < rank; ++dim)
      placement.shape.push_back(std::vector<int64_t>{
          0, 1, 3, 40, 70000, int64_t(1) << 40}[random() % 6]);
    size_t tiles = 1 + random() % 60;
    for (size_t tile = 0; tile < tiles; ++tile) {
      Box box(rank), more(rank);
      for (size_t dim = 0; dim < rank; ++dim) {
        int64_t extent = placement.shape[dim];
        int64_t begin = extent == 0 ? 0 : int64_t(random()) % extent;
        int64_t end =
            begin + (extent == begin ? 0 : random() % (extent - begin));
        box[dim] = {begin, end};
        more[dim] = {begin / 2, end};
      }
      placement.tiles.push_back({box, more});
    }
    expectToFit(pictureOf(placement, {}, {}, round % 2 ? 0 : 16, 4));
  }
}

TEST(Pictures, FitManyTilesThatSend) {
  std::vector<Traffic> transfers;
  for (int from = -1; from < 40; ++from)
    transfers.push_back({from, {0, 39 - from}, int64_t(1) << from});
  transfers.push_back({3, {kDdr}, 7});
  for (size_t most : {0, 16})
    expectToFit(trafficPicture(transfers, most, 4));
  std::string all = trafficPicture(transfers, 0, 4);
  EXPECT_EQ(all.find("more"), std::string::npos);
  EXPECT_NE(trafficPicture(transfers, 16, 4)
                .find("... 25 more senders; all with tiles=0"),
            std::string::npos);
}

} // namespace
