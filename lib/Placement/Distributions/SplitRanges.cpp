// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// Splits and windows along one dimension (docs/concepts.md, "From distribution
// to placement"). The range of a part is a closed formula of the part's number,
// so that one tile's box costs the same on a device of 4096 tiles as on one of
// two.

#include "SplitRanges.h"

#include <algorithm>

namespace npu {
namespace {

int64_t ceilDiv(int64_t value, int64_t divisor) {
  return value / divisor + (value % divisor != 0);
}

/// The product of `count` and `unit`, at most `extent`.
int64_t clampedProduct(int64_t count, int64_t unit, int64_t extent) {
  int64_t product = 0;
  if (__builtin_mul_overflow(count, unit, &product))
    return extent;
  return std::min(product, extent);
}

int64_t splitOffset(const DimensionSplit &split, int64_t index) {
  int64_t extent = split.extent, count = split.count;
  if (split.split == Split::Ceil) {
    int64_t size =
        clampedProduct(ceilDiv(ceilDiv(extent, count), split.alignment),
                       split.alignment, extent);
    return clampedProduct(index, size, extent);
  }
  int64_t granules = ceilDiv(extent, split.alignment);
  int64_t before =
      index * (granules / count) + std::min(index, granules % count);
  return clampedProduct(before, split.alignment, extent);
}

/// The inputs that a range of outputs reads, clamped to the tensor.
Range inputsOf(Range outputs, const Window &window, int64_t extent) {
  if (outputs.isEmpty())
    return {};
  // 128 bits: an output's number may be near 2^63 and the stride near 2^31.
  __int128 first = __int128(outputs.begin) * window.stride - window.padLo;
  __int128 last = __int128(outputs.end - 1) * window.stride - window.padLo +
                  __int128(window.kernel - 1) * window.dilation;
  auto clamp = [&](__int128 position) {
    return static_cast<int64_t>(
        std::clamp<__int128>(position, 0, __int128(extent)));
  };
  return {clamp(first), clamp(last + 1)};
}

} // namespace

int64_t windowOutputs(const Window &window, int64_t extent) {
  if (window.stride < 1)
    return 0;
  __int128 room = __int128(extent) + window.padLo + window.padHi -
                  (__int128(window.kernel - 1) * window.dilation + 1);
  if (room < 0)
    return 0;
  return static_cast<int64_t>(
      std::min<__int128>(room / window.stride + 1, INT64_MAX));
}

Range computeRange(const DimensionSplit &split, int64_t index) {
  return {splitOffset(split, index), splitOffset(split, index + 1)};
}

Range memoryRange(const DimensionSplit &split, int64_t index,
                  std::span<const Window> windows, int64_t dim) {
  Range result = computeRange(split, index);
  if (split.count == 1)
    return result;
  auto reads = [&](const Window &window) { return window.dim == dim; };
  auto first = std::find_if(windows.begin(), windows.end(), reads);
  bool several = std::any_of(first, windows.end(), [&](const Window &window) {
    return reads(window) && window != *first;
  });
  for (const Window &window : windows) {
    if (!reads(window))
      continue;
    int64_t outputs = windowOutputs(window, split.extent);
    // Of several readers, one with fewer outputs than tiles is expected to be
    // split otherwise, and would only widen the boxes of the others.
    if (several && outputs < split.count)
      continue;
    Range part = computeRange({outputs, split.count, split.split, 1}, index);
    result = hull(result, inputsOf(part, window, split.extent));
  }
  return result;
}

std::vector<Range> splitExtent(int64_t extent, int64_t count, Split split,
                               int64_t alignment) {
  std::vector<Range> ranges;
  if (extent < 0 || count < 1 || alignment < 1)
    return ranges;
  ranges.reserve(count);
  for (int64_t index = 0; index < count; ++index)
    ranges.push_back(computeRange({extent, count, split, alignment}, index));
  return ranges;
}

} // namespace npu
