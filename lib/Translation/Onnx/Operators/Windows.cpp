// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// Reads and checks windows, and pads images for them.

#include "Windows.h"

#include "../Build/NumberBounds.h"

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
void padToSame(Numbers numbers, Windows &windows, ArrayRef<Number> spatial,
               bool moreAfter) {
  for (int64_t dim = 0; dim < windows.rank(); ++dim) {
    Number stride = numbers.constant(windows.strides[dim]);
    Number results = numbers.ceilDiv(spatial[dim], stride);
    Number reached = numbers.add(
        numbers.mul(numbers.sub(results, numbers.constant(1)), stride),
        numbers.constant(windows.reach(dim)));
    Number total =
        numbers.max(numbers.sub(reached, spatial[dim]), numbers.constant(0));
    Number two = numbers.constant(2);
    Number &low = windows.before[dim], &high = windows.after[dim];
    low =
        moreAfter ? numbers.floorDiv(total, two) : numbers.ceilDiv(total, two);
    high = numbers.sub(total, low);
    windows.low[dim] = getConstantIntValue(low).value_or(0);
    windows.high[dim] = getConstantIntValue(high).value_or(0);
  }
}

} // namespace

LogicalResult checkImage(NodeImport &node, const OnnxTensor &image,
                         int64_t leastRank) {
  if (image.rank() < leastRank)
    return node.error() << "expected an operand of rank " << leastRank
                        << " or more, got " << NodeImport::describe(image);
  if (image.type().isDynamicDim(1))
    return node.error() << "expected a static number of channels, dimension 1, "
                           "got "
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
  windows.before = node.build.sizes(windows.low);
  windows.after = node.build.sizes(windows.high);
  return windows;
}

FailureOr<Windows> readWindows(NodeImport &node, ArrayRef<Number> spatial,
                               ArrayRef<int64_t> kernel) {
  if (kernel.size() != spatial.size())
    return node.error() << "expected a kernel of " << spatial.size()
                        << " dimensions, got " << kernel.size();
  FailureOr<Windows> windows = readWindowAttributes(node, kernel);
  if (failed(windows))
    return failure();
  npu::Numbers numbers = node.build.numbersHere();
  std::string mode = node.text("auto_pad", "NOTSET");
  bool isSame = StringRef(mode).starts_with("SAME");
  if (isSame)
    padToSame(numbers, *windows, spatial, /*moreAfter=*/mode == "SAME_UPPER");
  bool roundsUp = node.integer("ceil_mode", 0) != 0 && !isSame;
  Number one = numbers.constant(1);
  for (int64_t dim = 0; dim < windows->rank(); ++dim) {
    int64_t reach = windows->reach(dim), &beyond = windows->beyond[dim];
    // A window that would begin in the padding after the image is none, so that
    // the last one reaches over less than its own entries.
    if (roundsUp)
      beyond = std::max<int64_t>(
          std::min(windows->strides[dim] - 1, reach - 1 - windows->high[dim]),
          0);
    Number stride = numbers.constant(windows->strides[dim]),
           inFront = numbers.add(windows->before[dim], spatial[dim]),
           padded = numbers.add(inFront, windows->after[dim]),
           left = numbers.sub(padded, numbers.constant(reach - beyond));
    if (!left)
      return node.error() << "dimension " << dim + 2 << " of its operand is "
                          << "too large";
    if (!numbers.ensureAtLeast(left, 0))
      return node.error() << "expected at least " << reach - beyond
                          << " entries with padding in dimension " << dim + 2
                          << ", got " << describeBelow(padded, reach - beyond);
    Number results = numbers.add(numbers.floorDiv(left, stride), one);
    // No more entries are added than the windows reach.
    auto count = getConstantIntValue(results),
         known = getConstantIntValue(padded);
    if (roundsUp && count && known)
      beyond = std::max<int64_t>(
          (*count - 1) * windows->strides[dim] + reach - *known, 0);
    windows->places.push_back(results);
    windows->results.push_back(npu::Numbers::inType(results));
  }
  return windows;
}

Value padSpatial(TensorBuilder &build, Value image, ArrayRef<Number> low,
                 ArrayRef<Number> high, Value scalar) {
  npu::Numbers numbers = build.numbersHere();
  Number zero = numbers.constant(0);
  TensorBuilder::Sizes own = build.sizes(image), before(2, zero), after(before),
                       offsets(before), sizes{own[0], own[1]};
  for (auto [extent, first, last] :
       llvm::zip_equal(ArrayRef(own).drop_front(2), low, high)) {
    before.push_back(numbers.max(first, zero));
    after.push_back(numbers.max(last, zero));
    offsets.push_back(numbers.max(numbers.sub(zero, first), zero));
    sizes.push_back(numbers.add(numbers.add(extent, numbers.min(first, zero)),
                                numbers.min(last, zero)));
  }
  return build.padAround(build.sliceAt(image, offsets, sizes, {}), before,
                         after, scalar);
}

AffineExpr windowPosition(const Windows &windows, int64_t dim,
                          AffineExpr result, AffineExpr entry) {
  return result * windows.strides[dim] + entry * windows.dilations[dim];
}

} // namespace npu
