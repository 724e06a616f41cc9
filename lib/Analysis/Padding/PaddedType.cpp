// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception

#include "npu/Analysis/Padding/PaddedType.h"
#include "npu/Dialect/NPU/IR/TensorPlacement.h"

using namespace mlir;

namespace npu {
namespace {

/// Moves the borders of a box's range to where its real entries are after
/// padding.
void shift(Range &range, const PaddedDim &dim, int64_t realExtent) {
  if (range.isEmpty())
    return;
  auto hole = dyn_cast<AffineConstantExpr>(dim.hole);
  int64_t begin = hole ? hole.getValue() : realExtent;
  int64_t padding = dim.extent - realExtent;
  // The padding goes to the box that ends in front of the hole, or else to the
  // box that begins there.
  bool endsThere = range.end == begin && begin > 0;
  bool beginsAtFront = begin == 0 && range.begin == 0;
  if (range.end > begin || endsThere || beginsAtFront)
    range.end += padding;
  if (range.begin > begin || (range.begin == begin && begin > 0))
    range.begin += padding;
}

Distribution paddedDistribution(const Distribution &written,
                                const Extents &shape,
                                const PaddingState &state) {
  auto hasBoxes = [](const Distribution &distribution) {
    return !distribution.compute.empty() || !distribution.memory.empty();
  };
  // A rule that splits is applied to the padded extent; only explicit boxes
  // have to be extended.
  if (!hasBoxes(written))
    return written;
  Distribution grown = canonical(written, shape);
  if (!hasBoxes(grown))
    return grown;
  Result<Placement> placement = place(written, shape);
  if (!placement)
    return written;
  grown = Distribution();
  grown.mode = written.mode;
  for (const TileBoxes &tile : placement->tiles) {
    grown.compute.push_back(tile.compute);
    grown.memory.push_back(tile.memory);
  }
  for (auto *boxes : {&grown.compute, &grown.memory})
    for (Box &box : *boxes)
      for (auto [dim, padded] : llvm::enumerate(state))
        if (padded && !box.isEmpty())
          shift(box[dim], *padded, shape[dim]);
  return grown;
}

} // namespace

RankedTensorType paddedType(RankedTensorType type, const PaddingState &state) {
  SmallVector<int64_t> shape(type.getShape());
  for (auto [dim, padded] : llvm::enumerate(state))
    if (padded)
      shape[dim] = padded->extent;
  Attribute encoding = type.getEncoding();
  if (LayoutAttr layout = getLayout(type);
      layout && layout.isDistributed() && type.hasStaticShape())
    encoding =
        makeLayout(type.getContext(),
                   {paddedDistribution(layout.getDistribution(),
                                       toExtents(type.getShape()), state),
                    getOrder(type), getStorage(type)});
  return RankedTensorType::get(shape, type.getElementType(), encoding);
}

} // namespace npu
