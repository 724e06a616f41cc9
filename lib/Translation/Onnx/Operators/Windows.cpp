// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// Reads and checks windows, and pads images for them.

#include "Windows.h"

using namespace mlir;

namespace npu {
namespace {

/// Numbers of an attribute are at most this large, so that products of two and
/// sums of some fit 64 bits.
constexpr int64_t kMostNumber = int64_t(1) << 28;

FailureOr<Windows::Numbers> readNumbers(NodeImport &node, StringRef name,
                                        std::size_t count, int64_t least,
                                        int64_t otherwise) {
  Windows::Numbers numbers =
      node.integers(name).value_or(Windows::Numbers(count, otherwise));
  if (numbers.size() != count)
    return node.error() << "expected " << count << " numbers in " << name
                        << ", got " << numbers.size();
  for (int64_t number : numbers)
    if (number < least || number > kMostNumber)
      return node.error() << "expected numbers of " << least << " .. "
                          << kMostNumber << " in " << name << ", got "
                          << number;
  return numbers;
}

/// As many windows as there are strides that begin inside; the padding is what
/// these windows reach beyond the image.
void padToSame(Windows &windows, ArrayRef<int64_t> spatial, bool moreAfter) {
  for (int64_t dim = 0; dim < windows.rank(); ++dim) {
    int64_t stride = windows.strides[dim];
    int64_t results = (spatial[dim] + stride - 1) / stride;
    int64_t total = std::max<int64_t>(
        (results - 1) * stride + windows.reach(dim) - spatial[dim], 0);
    windows.low[dim] = moreAfter ? total / 2 : total - total / 2;
    windows.high[dim] = total - windows.low[dim];
  }
}

} // namespace

LogicalResult checkImage(NodeImport &node, const OnnxTensor &image,
                         int64_t leastRank) {
  if (image.rank() < leastRank)
    return node.error() << "expected an operand of rank " << leastRank
                        << " or more, got " << NodeImport::describe(image);
  if (llvm::any_of(image.shape().drop_front(), ShapedType::isDynamic))
    return node.error() << "expected a static shape, got "
                        << NodeImport::describe(image);
  return success();
}

FailureOr<Windows> readWindowAttributes(NodeImport &node,
                                        ArrayRef<int64_t> kernel) {
  Windows windows;
  std::size_t rank = kernel.size();
  windows.kernel.assign(kernel.begin(), kernel.end());
  for (int64_t extent : kernel)
    if (extent < 1 || extent > kMostNumber)
      return node.error() << "expected a kernel of extents 1 .. " << kMostNumber
                          << ", got " << extent;
  auto strides = readNumbers(node, "strides", rank, 1, 1);
  if (failed(strides))
    return failure();
  auto dilations = readNumbers(node, "dilations", rank, 1, 1);
  if (failed(dilations))
    return failure();
  auto pads = readNumbers(node, "pads", 2 * rank, 0, 0);
  if (failed(pads))
    return failure();
  windows.strides = *strides;
  windows.dilations = *dilations;
  windows.low.assign(pads->begin(), pads->begin() + rank);
  windows.high.assign(pads->begin() + rank, pads->end());
  windows.beyond.assign(rank, 0);
  std::string mode = node.text("auto_pad", "NOTSET");
  if (mode != "NOTSET" && mode != "SAME_UPPER" && mode != "SAME_LOWER" &&
      mode != "VALID")
    return node.error() << "expected NOTSET, SAME_UPPER, SAME_LOWER or VALID "
                        << "as auto_pad, got '" << mode << "'";
  if (mode != "NOTSET") {
    windows.low.assign(rank, 0);
    windows.high.assign(rank, 0);
  }
  return windows;
}

FailureOr<Windows> readWindows(NodeImport &node, ArrayRef<int64_t> spatial,
                               ArrayRef<int64_t> kernel) {
  if (kernel.size() != spatial.size())
    return node.error() << "expected a kernel of " << spatial.size()
                        << " dimensions, got " << kernel.size();
  FailureOr<Windows> windows = readWindowAttributes(node, kernel);
  if (failed(windows))
    return failure();
  std::string mode = node.text("auto_pad", "NOTSET");
  if (StringRef(mode).starts_with("SAME"))
    padToSame(*windows, spatial, /*moreAfter=*/mode == "SAME_UPPER");
  bool roundsUp = node.integer("ceil_mode", 0) != 0;
  for (int64_t dim = 0; dim < windows->rank(); ++dim) {
    int64_t stride = windows->strides[dim];
    int64_t padded = windows->low[dim] + spatial[dim] + windows->high[dim];
    int64_t left = padded - windows->reach(dim);
    if (left < 0)
      return node.error() << "expected at least " << windows->reach(dim)
                          << " entries with padding in dimension " << dim + 2
                          << ", got " << padded;
    int64_t results = left / stride + 1;
    // A window that would begin in the padding after the image is none.
    if (roundsUp && left % stride != 0 &&
        results * stride < windows->low[dim] + spatial[dim])
      ++results;
    windows->results.push_back(results);
    windows->beyond[dim] = std::max<int64_t>(
        (results - 1) * stride + windows->reach(dim) - padded, 0);
  }
  return windows;
}

Value padSpatial(TensorBuilder &build, Value image, ArrayRef<int64_t> low,
                 ArrayRef<int64_t> high, Value scalar) {
  auto type = cast<RankedTensorType>(image.getType());
  SmallVector<int64_t> before{0, 0}, after{0, 0}, offsets{0, 0},
      sizes(type.getShape().take_front(2));
  for (auto [extent, first, last] :
       llvm::zip_equal(type.getShape().drop_front(2), low, high)) {
    before.push_back(std::max<int64_t>(first, 0));
    after.push_back(std::max<int64_t>(last, 0));
    offsets.push_back(std::max<int64_t>(-first, 0));
    sizes.push_back(extent + std::min<int64_t>(first, 0) +
                    std::min<int64_t>(last, 0));
  }
  if (ArrayRef<int64_t>(sizes) != type.getShape())
    image = build.slice(image, offsets, sizes);
  return build.pad(image, before, after, scalar);
}

AffineExpr windowPosition(const Windows &windows, int64_t dim,
                          AffineExpr result, AffineExpr entry) {
  return result * windows.strides[dim] + entry * windows.dilations[dim];
}

} // namespace npu
