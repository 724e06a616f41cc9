// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// Col2Im: an image as the sum of blocks that overlap, each from one column. The
// entries of all blocks that have one place in them are a small image, with
// zeros between where blocks begin several entries apart; the result is the sum
// of these.

#include "../Graph/OperatorTable.h"
#include "Moments.h"
#include "Windows.h"

using namespace mlir;

namespace npu {
namespace {

/// Blocks of more entries than this are refused: each is one operation.
constexpr int64_t kMostEntries = 1024;

/// The image with `between` zeros after each entry of dimension `dim`, but
/// after the last.
Value spread(TensorBuilder &build, Value image, int64_t dim, int64_t between) {
  auto type = cast<RankedTensorType>(image.getType());
  if (between == 0)
    return image;
  SmallVector<int64_t> apart(type.getShape()), together(type.getShape());
  apart.insert(apart.begin() + dim + 1, 1);
  SmallVector<int64_t> none(apart.size(), 0), after(apart.size(), 0);
  after[dim + 1] = between;
  together[dim] *= between + 1;
  Value zero = build.scalar(type.getElementType(), 0);
  Value wide = build.pad(build.reshape(image, apart), none, after, zero);
  wide = build.reshape(wide, together);
  return build.sliceDim(wide, dim, 0, together[dim] - between);
}

/// The spatial extents and the block, operands 1 and 2.
FailureOr<SmallVector<int64_t>> extentsOf(NodeImport &node, unsigned operand,
                                          StringRef what) {
  FailureOr<SmallVector<int64_t>> extents =
      node.constantIntegers(operand, what);
  if (failed(extents))
    return failure();
  for (int64_t extent : *extents)
    if (extent < 1 || extent > kMostElements)
      return node.error() << "expected extents of 1 or more as " << what
                          << ", got " << extent;
  if (extents->empty())
    return node.error() << "expected extents as " << what << ", got none";
  return extents;
}

LogicalResult buildCol2Im(NodeImport &node) {
  const OnnxTensor &x = node.operand(0);
  FailureOr<SmallVector<int64_t>> image =
      extentsOf(node, 1, "the image's shape");
  FailureOr<SmallVector<int64_t>> block =
      extentsOf(node, 2, "the block's shape");
  if (failed(image) || failed(block))
    return failure();
  std::optional<int64_t> entries = elementCount(*block);
  if (!entries || *entries > kMostEntries)
    return node.error() << "expected blocks of at most " << kMostEntries
                        << " entries";
  FailureOr<Windows> windows =
      readWindows(node, node.build.sizes(*image), *block);
  if (failed(windows))
    return failure();
  std::optional<int64_t> blocks = elementCount(windows->results);
  if (!x.type().hasStaticShape() || x.rank() != 3 || !blocks ||
      x.shape()[1] % *entries != 0 || x.shape()[2] != *blocks)
    return node.error() << "expected a tensor of a multiple of " << *entries
                        << " rows and a column for each of "
                        << blocks.value_or(0) << " blocks, got "
                        << NodeImport::describe(x);
  int64_t channels = x.shape()[1] / *entries;
  SmallVector<int64_t> shape{x.shape()[0], channels};
  llvm::append_range(shape, *image);
  if (!elementCount(shape))
    return node.error() << "its result has more than " << kMostElements
                        << " elements";
  TensorBuilder &build = node.build;
  Value apart =
      build.reshape(x.value, {x.shape()[0], channels, *entries, *blocks});
  SmallVector<int64_t> ofPart{x.shape()[0], channels};
  llvm::append_range(ofPart, windows->results);
  Value sum, zero = build.scalar(x.elementType(), 0);
  int64_t number = 0;
  forEachPosition(*block, [&](ArrayRef<int64_t> entry) {
    SmallVector<int64_t> low, high;
    bool isOutside = false;
    for (int64_t dim = 0; dim < windows->rank(); ++dim) {
      int64_t extent = (windows->results[dim] - 1) * windows->strides[dim] + 1;
      low.push_back(entry[dim] * windows->dilations[dim] - windows->low[dim]);
      high.push_back((*image)[dim] - low.back() - extent);
      isOutside |= low.back() <= -extent || high.back() <= -extent;
    }
    int64_t row = number++;
    // In every block, this entry is in the padding.
    if (isOutside)
      return;
    Value part = build.reshape(build.sliceDim(apart, 2, row, 1), ofPart);
    for (int64_t dim = 0; dim < windows->rank(); ++dim)
      part = spread(build, part, 2 + dim, windows->strides[dim] - 1);
    part = padSpatial(build, part, build.sizes(low), build.sizes(high), zero);
    sum = sum ? sumOf(build, sum, part) : part;
  });
  if (!sum)
    sum = build.splat(x.elementType(), 0, shape);
  return node.setResult(0, sum);
}

} // namespace

void addColumns(OperatorTable &table) { table.add("Col2Im", 3, buildCol2Im); }

} // namespace npu
