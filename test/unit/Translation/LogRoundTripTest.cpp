// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// Whatever distribution a log describes, the imported layout has the same
// boxes; and where both sides hold the same bytes, the importer finds an order
// in which that shows.

#include "FieldText.h"

#include <gtest/gtest.h>

#include <algorithm>
#include <random>

namespace npu {
namespace {

using Random = std::mt19937;

int64_t upTo(Random &random, int64_t most) {
  return 1 + static_cast<int64_t>(random() % static_cast<uint64_t>(most));
}

Permutation randomPermutation(Random &random, std::size_t rank) {
  Permutation result = identityPermutation(rank);
  std::shuffle(result.begin(), result.end(), random);
  return result;
}

Distribution randomDistribution(Random &random, std::size_t rank) {
  constexpr Mode modes[] = {Mode::Segmented, Mode::Overlapped, Mode::Duplicated,
                            Mode::SegmentedDuplicated,
                            Mode::SegmentedMulticasted};
  Distribution result;
  result.mode = modes[random() % std::size(modes)];
  if (result.mode == Mode::Duplicated) {
    result.tileCount = upTo(random, 6);
    return result;
  }
  result.tiles = Extents(rank, 1);
  for (int splits = 0; splits < 2; ++splits)
    result.tiles[random() % rank] = upTo(random, 3);
  result.split = random() % 2 ? Split::Balanced : Split::Ceil;
  if (random() % 3 == 0) {
    result.align = Extents(rank, 1);
    result.align[random() % rank] = upTo(random, 4);
  }
  if (random() % 4 == 0)
    result.copies = upTo(random, 2);
  if (random() % 4 == 0) {
    for (std::size_t dim = rank; dim-- > 0;)
      if (result.tiles[dim] > 1)
        result.major.push_back(static_cast<int64_t>(dim));
  }
  normalize(result);
  return result;
}

/// Lets every tile hold more than it computes.
Distribution withRandomHalo(Random &random, const Distribution &distribution,
                            const Placement &placement) {
  Distribution result = distribution;
  for (const TileBoxes &boxes : placement.tiles) {
    Box memory = boxes.memory;
    if (!memory.isEmpty())
      for (std::size_t dim = 0; dim < memory.rank(); ++dim) {
        memory[dim].begin = std::max<int64_t>(
            0, memory[dim].begin - static_cast<int64_t>(random() % 2));
        memory[dim].end =
            std::min(placement.shape[dim],
                     memory[dim].end + static_cast<int64_t>(random() % 2));
      }
    result.memory.push_back(memory);
  }
  return result;
}

struct Side {
  Distribution distribution;
  Placement placement;
};

Side randomSide(Random &random, const Extents &shape) {
  while (true) {
    Distribution distribution = randomDistribution(random, shape.size());
    Result<Placement> placement = place(distribution, shape);
    if (!placement)
      continue;
    if (distribution.mode == Mode::Overlapped && random() % 2) {
      distribution = withRandomHalo(random, distribution, *placement);
      placement = place(distribution, shape);
      if (!placement)
        continue;
    }
    return {distribution, *placement};
  }
}

void expectSame(mlir::RankedTensorType type, const Side &side) {
  const Placement *imported = getPlacement(type);
  ASSERT_TRUE(imported);
  EXPECT_EQ(imported->shape, side.placement.shape);
  EXPECT_TRUE(sameMemory(*imported, side.placement));
  EXPECT_TRUE(sameCompute(*imported, side.placement));
  EXPECT_EQ(getLayout(type).getDistribution().mode, side.distribution.mode);
}

TEST(LogRoundTrip, ImportedLayoutsHaveTheLogsBoxes) {
  Random random(1);
  LogReader reader;
  for (int round = 0; round < 3000; ++round) {
    std::size_t rank = 2 + random() % 4;
    Extents inShape(rank, 1);
    for (int64_t &extent : inShape)
      extent = upTo(random, 7);
    NpuLogOptions options;
    options.inOrder = randomPermutation(random, rank);
    options.outOrder = randomPermutation(random, rank);
    Permutation inDim = castDimensions(*options.inOrder, {}, *options.outOrder);
    Side in = randomSide(random, inShape);
    Side out = randomSide(random, permute(inShape, inDim));
    std::string text =
        fieldError(fieldAttribute(in.distribution, in.placement),
                   fieldAttribute(out.distribution, out.placement));
    SCOPED_TRACE(text);
    auto module = reader.import(text, options);
    ASSERT_TRUE(module) << (reader.errors.empty() ? "" : reader.errors[0]);
    PermuteCastOp cast = LogReader::castOf(*module);
    expectSame(cast.getInput().getType(), in);
    expectSame(cast.getResult().getType(), out);
    if (HasFailure())
      return;
  }
}

TEST(LogRoundTrip, AnOrderIsFoundWheneverThereIsOne) {
  Random random(2);
  LogReader reader;
  for (int round = 0; round < 3000; ++round) {
    std::size_t rank = 2 + random() % 4;
    Extents inShape(rank, 1);
    for (int64_t &extent : inShape)
      extent = upTo(random, 5);
    Side in = randomSide(random, inShape);
    Permutation inDim = castDimensions({}, {}, randomPermutation(random, rank));
    Distribution label = permute(in.distribution, inDim);
    // A log whose two sides hold the same bytes, under whatever words.
    if (label.mode == Mode::Segmented)
      label.mode = Mode::Overlapped;
    std::string text =
        fieldError(fieldAttribute(in.distribution, in.placement),
                   fieldAttribute(label, permute(in.placement, inDim)));
    SCOPED_TRACE(text);
    auto module = reader.import(text);
    ASSERT_TRUE(module) << (reader.errors.empty() ? "" : reader.errors[0]);
    ASSERT_TRUE(hasSameMemory(LogReader::castOf(*module)));
  }
}

} // namespace
} // namespace npu
