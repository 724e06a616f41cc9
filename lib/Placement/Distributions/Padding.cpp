// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception

#include "npu/Placement/Distributions/Padding.h"

#include <algorithm>

namespace npu {
namespace {

/// The number of real entries before `index`.
int64_t realBefore(int64_t index, Range padded) {
  if (padded.isEmpty() || index <= padded.begin)
    return index;
  return std::max(index, padded.end) - padded.extent();
}

} // namespace

Result<> checkPadding(std::span<const PaddedRange> padding,
                      const Extents &shape) {
  const PaddedRange *last = nullptr;
  for (const PaddedRange &padded : padding) {
    if (padded.dim >= shape.size())
      return Error{"expected padding of a dimension below " +
                   std::to_string(shape.size()) + ", got dimension " +
                   std::to_string(padded.dim)};
    if (last && last->dim >= padded.dim)
      return Error{"expected increasing dimensions in padding, got " +
                   std::to_string(padded.dim) + " after " +
                   std::to_string(last->dim)};
    if (padded.range.begin < 0 || padded.range.begin > padded.range.end ||
        padded.range.end > shape[padded.dim])
      return Error{"expected padding inside dimension " +
                   std::to_string(padded.dim) + " of extent " +
                   std::to_string(shape[padded.dim]) + ", got " +
                   std::to_string(padded.range.begin) + ":" +
                   std::to_string(padded.range.end)};
    last = &padded;
  }
  return Success();
}

Extents realShape(const Extents &shape, std::span<const PaddedRange> padding) {
  Extents real = shape;
  for (const PaddedRange &padded : padding)
    real[padded.dim] -= padded.range.extent();
  return real;
}

Box realPart(const Box &box, std::span<const PaddedRange> padding) {
  Box real = box;
  for (const PaddedRange &padded : padding) {
    Range &range = real[padded.dim];
    range = {realBefore(range.begin, padded.range),
             realBefore(range.end, padded.range)};
  }
  return real;
}

Placement realPart(const Placement &placement,
                   std::span<const PaddedRange> padding) {
  Placement real{realShape(placement.shape, padding), placement.tiles};
  for (TileBoxes &tile : real.tiles)
    tile = {realPart(tile.compute, padding), realPart(tile.memory, padding)};
  return real;
}

std::vector<Box> amongPadding(const Box &real,
                              std::span<const PaddedRange> padding) {
  std::vector<Box> boxes{real};
  for (const auto &[dim, padded] : padding) {
    std::size_t count = boxes.size();
    for (std::size_t i = 0; i < count; ++i) {
      Range range = boxes[i][dim];
      Range before{range.begin, std::min(range.end, padded.begin)};
      Range after{std::max(range.begin, padded.begin) + padded.extent(),
                  range.end + padded.extent()};
      boxes[i][dim] = before.isEmpty() ? after : before;
      if (!before.isEmpty() && !after.isEmpty()) {
        boxes.push_back(boxes[i]);
        boxes.back()[dim] = after;
      }
    }
  }
  return boxes;
}

std::vector<Box> paddingIn(const Box &box,
                           std::span<const PaddedRange> padding) {
  std::vector<Box> boxes;
  for (const auto &[dim, padded] : padding) {
    Box part = box;
    part[dim] = intersect(box[dim], padded);
    if (!part.isEmpty())
      boxes.push_back(part);
  }
  return boxes;
}

Padding paddingOfPart(std::span<const PaddedRange> padding, const Box &box) {
  Padding own;
  for (const auto &[dim, padded] : padding) {
    if (dim >= box.rank())
      return {};
    Range part = intersect(box[dim], padded);
    if (!part.isEmpty())
      own.push_back(
          {dim, {part.begin - box[dim].begin, part.end - box[dim].begin}});
  }
  return own;
}

} // namespace npu
