// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// View-like operations from the field compiler's own tests. Where it accepts a
// row, both sides must mean the same boxes here; where it refuses one only for
// a label, boxes say that nothing is wrong.

#include "Elements.h"
#include "GoldenRows.h"

#include <gtest/gtest.h>

namespace npu {
namespace {

/// One side's placement, from its boxes where it has some.
Result<Placement> placementOf(const GoldenRow &row, const std::string &side) {
  Extents shape = row.extents(side + ".shape");
  if (std::optional<Distribution> boxes =
          writtenBoxesOf(row, shape, side + "."))
    return place(*boxes, shape);
  return place(shortFormOf(row, side + "."), shape);
}

bool hasBoth(const GoldenRow &row) {
  return row.has("in.mode") && row.has("out.mode") && row.has("in.shape") &&
         row.has("out.shape");
}

/// What every row must satisfy: its distributions can be placed, and implicit
/// and explicit form agree where both are there. (Boxes of OVERLAPPED carry
/// halos that the row's short form does not tell; rows without a model have
/// boxes that were inherited from sub-tiles and slices.)
void expectSidesPlaced(const GoldenRow &row) {
  for (const std::string side : {"in", "out"}) {
    if (!row.has(side + ".mode") || !row.has(side + ".shape"))
      continue;
    Result<Placement> placement = placementOf(row, side);
    ASSERT_TRUE(placement) << side << ": " << placement.error().message;
    Distribution form = shortFormOf(row, side + ".");
    if (form.mode == Mode::Overlapped || row.text("status") != "match")
      continue;
    Result<Placement> implicit = place(form, placement->shape);
    ASSERT_TRUE(implicit) << side << ": " << implicit.error().message;
    EXPECT_TRUE(sameMemory(*placement, *implicit)) << side;
  }
}

void expectPermuteCast(const GoldenRow &row) {
  Extents inShape = row.extents("in.shape");
  Extents outShape = row.extents("out.shape");
  Permutation inOrder = *parseOrderName(row.text("in.order"));
  Permutation outOrder = *parseOrderName(row.text("out.order"));
  Permutation memPerm = *parseOrderName(row.text("mem_perm"));
  Permutation inDim = castDimensions(inOrder, memPerm, outOrder);
  EXPECT_EQ(permute(inShape, inDim) == outShape, row.text("consistent") == "1");
  EXPECT_EQ(isTrivialMemPerm(permute(inShape, inOrder), memPerm),
            row.text("trivial") == "1");

  Placement source = *placementOf(row, "in");
  Placement mapped = permute(source, inDim);
  EXPECT_TRUE(sameMemory(permute(mapped, inverse(inDim)), source));
  if (!row.has("out.mode")) {
    // Refused there because a halo would land on channels. Here it may sit on
    // any dimension: the image is a distribution like others.
    EXPECT_EQ(row.text("valid"), "0");
    Distribution image = permute(*writtenBoxesOf(row, inShape, "in."), inDim);
    Result<Placement> placed = place(image, outShape);
    ASSERT_TRUE(placed) << placed.error().message;
    EXPECT_TRUE(sameMemory(*placed, mapped));
    return;
  }
  // Valid or refused for its label alone: the boxes are the same.
  EXPECT_TRUE(sameMemory(mapped, *placementOf(row, "out")));
}

void expectRelabel(const GoldenRow &row) {
  EXPECT_EQ(row.extents("in.shape"), row.extents("out.shape"));
  EXPECT_TRUE(
      memoryContains(*placementOf(row, "in"), *placementOf(row, "out")));
}

/// A reshape of what every tile holds: as many elements per tile as before.
void expectSameFootprints(const GoldenRow &row) {
  Placement in = *placementOf(row, "in"), out = *placementOf(row, "out");
  ASSERT_EQ(in.tiles.size(), out.tiles.size());
  for (std::size_t tile = 0; tile < in.tiles.size(); ++tile)
    EXPECT_EQ(in.tiles[tile].memory.volume(), out.tiles[tile].memory.volume());
}

/// A view of a part of the tensor must lie inside it.
void expectInside(const GoldenRow &row) {
  Extents offsets = row.extents("offsets"), sizes = row.extents("sizes");
  if (offsets.size() == row.extents("in.shape").size())
    EXPECT_TRUE(Box::whole(row.extents("in.shape"))
                    .contains(Box::fromOffsetsAndSizes(offsets, sizes)));
}

TEST(GoldenCasts, EveryRow) {
  std::map<std::string, int> rows;
  for (const GoldenRow &row : readGoldenRows("casts.txt")) {
    SCOPED_TRACE(row.id + " (" + row.source + ")");
    std::string op = row.text("op").substr(row.text("op").find('.') + 1);
    expectSidesPlaced(row);
    if (testing::Test::HasFatalFailure())
      return;
    if (op == "PermuteCast") {
      ++rows["permutation"];
      expectPermuteCast(row);
    } else if (hasBoth(row) &&
               (op == "DistributedCast" || op == "QuantizeCast")) {
      ++rows["relabel"];
      expectRelabel(row);
    } else if (hasBoth(row) && op == "GenericReshape") {
      ++rows["reshape"];
      expectSameFootprints(row);
    } else {
      ++rows["placed only"];
      if (row.has("offsets") && row.has("in.shape"))
        expectInside(row);
    }
  }
  EXPECT_EQ(rows, (std::map<std::string, int>{{"permutation", 17},
                                              {"relabel", 23},
                                              {"reshape", 11},
                                              {"placed only", 96}}));
}

} // namespace
} // namespace npu
