// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception

#include "npu/Analysis/Choices/HoldingLayout.h"
#include "npu/Interfaces/OpAccess.h"
#include "npu/Placement/Distributions/WholeBytes.h"
#include "npu/Placement/Plans/RedistributionPlan.h"

#include "llvm/ADT/STLExtras.h"

using namespace mlir;

namespace npu {
namespace {

bool covers(const Extents &shape, const std::vector<Box> &boxes) {
  bool gaveUp = false;
  return !findUncovered(Box::whole(shape), boxes, gaveUp) && !gaveUp;
}

Placement asPlacement(const Extents &shape, const std::vector<Box> &boxes) {
  Placement placement{shape, {}};
  placement.tiles.reserve(boxes.size());
  for (const Box &box : boxes)
    placement.tiles.push_back({box, box});
  return placement;
}

/// Extends boxes so that along every dimension each range ends where the next
/// one begins, the first begins at the front and the last ends at the back.
std::vector<Box> closeGaps(const Extents &shape, std::vector<Box> boxes) {
  for (size_t dim = 0; dim < shape.size(); ++dim) {
    SmallVector<Range> ranges;
    for (const Box &box : boxes)
      if (!box.isEmpty())
        ranges.push_back(box[dim]);
    if (ranges.empty())
      return {};
    int64_t first = shape[dim], last = 0;
    for (Range range : ranges) {
      first = std::min(first, range.begin);
      last = std::max(last, range.end);
    }
    for (Box &box : boxes) {
      if (box.isEmpty())
        continue;
      // Find the nearest begin of another range at or after the end of this
      // one, unless another range contains that end.
      int64_t next = shape[dim];
      bool spanned = false;
      for (Range range : ranges) {
        if (range.begin >= box[dim].end)
          next = std::min(next, range.begin);
        else
          spanned |= range.end > box[dim].end;
      }
      if (box[dim].begin == first)
        box[dim].begin = 0;
      if (box[dim].end == last)
        box[dim].end = shape[dim];
      else if (!spanned)
        box[dim].end = next;
    }
  }
  return boxes;
}

/// The cheapest boxes around `needs` that cover the tensor.
std::vector<Box> grownToCover(RankedTensorType type, const Extents &shape,
                              const std::vector<Box> &needs) {
  const Placement *source = getPlacement(type);
  std::vector<Box> best;
  int64_t bestMissing = 0;
  auto offer = [&](const std::vector<Box> &boxes) {
    if (boxes.empty() || !covers(shape, boxes))
      return;
    Placement offered = asPlacement(shape, boxes);
    int64_t missing =
        source ? elementsMissing(*source, offered) : totalFootprint(offered);
    if (best.empty() || missing < bestMissing) {
      best = boxes;
      bestMissing = missing;
    }
  };
  if (source) {
    std::vector<Box> joinedWithOwned = needs;
    joinedWithOwned.resize(std::max(needs.size(), source->tiles.size()),
                           nothingOf(shape));
    for (auto [tile, box] : llvm::enumerate(joinedWithOwned))
      box = hull(box, source->computeOf(tile));
    offer(joinedWithOwned);
  }
  offer(closeGaps(shape, needs));
  // If no other boxes are found, the whole tensor on every tile covers it.
  if (best.empty())
    best.assign(std::max<size_t>(needs.size(), 1), Box::whole(shape));
  return best;
}

/// The number of tiles up to the last one whose box is not empty.
size_t tilesWithSome(const std::vector<Box> &boxes) {
  size_t count = boxes.size();
  while (count > 0 && boxes[count - 1].isEmpty())
    --count;
  return count;
}

/// The placement of `like`, where it has the shape of `type`; otherwise null.
const Placement *placementOfShape(RankedTensorType like,
                                  RankedTensorType type) {
  return like && like.getShape() == type.getShape() ? getPlacement(like)
                                                    : nullptr;
}

} // namespace

RankedTensorType withDistribution(RankedTensorType type,
                                  Distribution distribution) {
  Layout layout{std::move(distribution), getOrder(type), getStorage(type)};
  return withLayout(type, makeLayout(type.getContext(), std::move(layout)));
}

RankedTensorType typeHolding(RankedTensorType type, std::vector<Box> needs,
                             RankedTensorType like, ArrayRef<Window> windows) {
  Extents shape = toExtents(type.getShape());
  // A box of rank 0 is never empty: all tiles up to the last one with a scalar
  // have it.
  if (shape.empty())
    needs.assign(tilesWithSome(needs), Box());
  if (isPacked(type.getElementType())) {
    Extents multiples = cutsBetweenBytes(type);
    for (Box &box : needs)
      box = grownToBytes(box, shape, multiples);
  }
  if (!covers(shape, needs))
    needs = grownToCover(type, shape, needs);
  if (const Placement *placement = placementOfShape(like, type))
    if (sameMemory(*placement, asPlacement(shape, needs)))
      return withDistribution(type, getLayout(like).getDistribution());
  return withDistribution(
      type, describe(shape, needs, nullptr, {windows.data(), windows.size()}));
}

RankedTensorType typeProducing(RankedTensorType type, std::vector<Box> boxes,
                               RankedTensorType like) {
  Extents shape = toExtents(type.getShape());
  if (shape.empty()) {
    boxes.resize(tilesWithSome(boxes));
    if (llvm::any_of(boxes, [](const Box &box) { return box.isEmpty(); }))
      return {};
  }
  if (!covers(shape, boxes))
    return {};
  if (const Placement *placement = placementOfShape(like, type)) {
    Placement wanted = asPlacement(shape, boxes);
    if (sameMemory(*placement, wanted) && sameCompute(*placement, wanted))
      return withDistribution(type, getLayout(like).getDistribution());
  }
  RankedTensorType made =
      withDistribution(type, describe(shape, boxes, &boxes));
  // Tiles that make parts of one byte could not all write it.
  return isPacked(type.getElementType()) && !getPlacement(made)
             ? RankedTensorType()
             : made;
}

RankedTensorType computeOnlyType(RankedTensorType type) {
  Distribution distribution = getLayout(type).getDistribution();
  const Placement &placement = *getPlacement(type);
  if (distribution.compute.empty() && !distribution.tiles.empty()) {
    // A short form becomes its split without halo or copies in memory.
    if (traitsOf(distribution.mode).splits)
      distribution.mode = Mode::Segmented;
    distribution.windows.clear();
    distribution.memory.clear();
    return withDistribution(type, std::move(distribution));
  }
  std::vector<Box> boxes;
  boxes.reserve(placement.tiles.size());
  for (const TileBoxes &tile : placement.tiles)
    boxes.push_back(tile.compute);
  return withDistribution(type,
                          describe(toExtents(type.getShape()), boxes, &boxes));
}

} // namespace npu
