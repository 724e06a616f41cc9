// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// Two prompt lengths out of 512 made a field compiler stop. Lengths are not to
// be sampled: this file takes every one from 1 to 1024, for every model and
// number of tiles, through the cast that failed and through the changes of
// distribution along the prompt.

#include "ModelShapes.h"
#include "npu/Placement/Plans/RedistributionPlan.h"

#include <gtest/gtest.h>

namespace npu {
namespace {

constexpr int64_t kTiles[] = {1, 2, 4, 6};

/// Calls `check(model, length, tiles)`, with the case in every message.
template <typename Check>
void forEachCase(Check check) {
  for (const ModelShape &model : kModelShapes)
    for (int64_t tiles : kTiles)
      for (int64_t length = 1; length <= 1024; ++length) {
        check(model, length, tiles);
        if (testing::Test::HasFailure()) {
          ADD_FAILURE() << model.name << ", length " << length << ", " << tiles
                        << " tiles";
          return;
        }
      }
}

Distribution split(Extents tiles, Mode mode = Mode::Segmented,
                   Split rule = Split::Balanced) {
  Distribution result;
  result.mode = mode;
  result.tiles = tiles;
  result.split = rule;
  return result;
}

TEST(AllLengths, TheCastThatFailedMovesNothing) {
  Permutation nhwc = *parseOrderName("NHWC");
  Permutation inDim = castDimensions({}, {}, nhwc);
  forEachCase([&](const ModelShape &model, int64_t length, int64_t tiles) {
    Extents shape{1, model.heads, length, model.headSize};
    Distribution produced = split({1, tiles, 1, 1});
    // What the producer gives, seen through the cast.
    Extents outShape = permute(shape, inDim);
    ASSERT_EQ(outShape, (Extents{1, model.headSize, model.heads, length}));
    Distribution image = permute(produced, inDim);
    ASSERT_EQ(image, split({1, 1, tiles, 1}));
    Placement before = permute(*place(produced, shape), inDim);
    ASSERT_TRUE(sameMemory(before, *place(image, outShape)));
    // What the consumer declares: the same boxes under another word, implicit
    // and explicit.
    Distribution declared = split({1, 1, tiles, 1}, Mode::Overlapped);
    Placement after = *place(declared, outShape);
    ASSERT_TRUE(sameMemory(before, after));
    RedistributionPlan plan = *planRedistribution(before, after);
    ASSERT_TRUE(plan.transfers.empty());
    ASSERT_EQ(plan.received, Bounded{});
    Distribution written;
    written.mode = Mode::Overlapped;
    for (const TileBoxes &boxes : after.tiles)
      written.compute.push_back(boxes.compute);
    ASSERT_TRUE(sameMemory(before, *place(written, outShape)));
    ASSERT_TRUE(isTrivialMemPerm(shape, identityPermutation(4)));
  });
}

/// Prefix sums of the two rules, counted out one by one.
std::vector<Range> ranges(int64_t length, int64_t tiles, bool ceil) {
  std::vector<Range> result;
  int64_t begin = 0;
  for (int64_t tile = 0; tile < tiles; ++tile) {
    int64_t size = ceil ? (length + tiles - 1) / tiles
                        : length / tiles + (tile < length % tiles ? 1 : 0);
    int64_t end = std::min(length, begin + size);
    result.push_back({begin, end});
    begin = end;
  }
  return result;
}

/// Rows that the tiles lack, counted row by row.
int64_t rowsMissing(const std::vector<Range> &held,
                    const std::vector<Range> &wanted) {
  int64_t rows = 0;
  for (std::size_t tile = 0; tile < wanted.size(); ++tile)
    for (int64_t row = wanted[tile].begin; row < wanted[tile].end; ++row)
      rows += row < held[tile].begin || row >= held[tile].end;
  return rows;
}

void expectRowsMoved(const Distribution &from, const Distribution &to,
                     const ModelShape &model, int64_t length, int64_t rows) {
  Extents shape{1, model.heads, length, model.headSize};
  RedistributionPlan plan =
      *planRedistribution(*place(from, shape), *place(to, shape));
  int64_t elements = rows * model.heads * model.headSize;
  ASSERT_EQ(plan.received, (Bounded{elements, elements}));
  ASSERT_EQ(plan.maxTileReceived.value, plan.maxTileReceived.bound);
  ASSERT_EQ(plan.injected.value, plan.injected.bound);
  ASSERT_EQ(plan.maxTileSent.value, plan.maxTileSent.bound);
}

TEST(AllLengths, FromBalancedToCeilAndBack) {
  forEachCase([&](const ModelShape &model, int64_t length, int64_t tiles) {
    Distribution balanced = split({1, 1, tiles, 1});
    Distribution ceil = split({1, 1, tiles, 1}, Mode::Segmented, Split::Ceil);
    std::vector<Range> even = ranges(length, tiles, false);
    std::vector<Range> full = ranges(length, tiles, true);
    expectRowsMoved(balanced, ceil, model, length, rowsMissing(even, full));
    expectRowsMoved(ceil, balanced, model, length, rowsMissing(full, even));
  });
}

TEST(AllLengths, FromRowsToRowsWithAHalo) {
  forEachCase([&](const ModelShape &model, int64_t length, int64_t tiles) {
    Distribution rows = split({1, 1, tiles, 1});
    Distribution halo = split({1, 1, tiles, 1}, Mode::Overlapped);
    halo.windows = {{2, 3, 1, 1, 1, 1}};
    // With kernel 3 and pad 1 on both sides there are as many outputs as rows.
    std::vector<Range> held = ranges(length, tiles, false), wanted = held;
    for (Range &range : wanted)
      if (!range.isEmpty())
        range = {std::max<int64_t>(0, range.begin - 1),
                 std::min(length, range.end + 1)};
    expectRowsMoved(rows, halo, model, length, rowsMissing(held, wanted));
    // Back again, everything is there.
    expectRowsMoved(halo, rows, model, length, 0);
  });
}

} // namespace
} // namespace npu
