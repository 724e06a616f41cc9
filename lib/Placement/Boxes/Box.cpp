// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// Arithmetic on ranges and boxes.

#include "npu/Placement/Boxes/Box.h"

#include <algorithm>

namespace npu {

Range intersect(Range a, Range b) {
  int64_t begin = std::max(a.begin, b.begin);
  return {begin, std::max(begin, std::min(a.end, b.end))};
}

Range hull(Range a, Range b) {
  if (b.isEmpty())
    return a;
  if (a.isEmpty())
    return b;
  return {std::min(a.begin, b.begin), std::max(a.end, b.end)};
}

Box Box::whole(const Extents &shape) {
  Box box;
  for (int64_t extent : shape)
    box.push_back({0, extent});
  return box;
}

Box Box::fromOffsetsAndSizes(const Extents &offsets, const Extents &sizes) {
  Box box;
  for (std::size_t dim = 0; dim < offsets.size(); ++dim)
    box.push_back({offsets[dim], offsets[dim] + sizes[dim]});
  return box;
}

bool Box::isEmpty() const {
  return std::any_of(begin(), end(),
                     [](const Range &range) { return range.isEmpty(); });
}

int64_t Box::volume() const {
  // Test for an empty dimension first: the other extents may be so large that
  // their product does not fit.
  if (isEmpty())
    return 0;
  int64_t product = 1;
  for (const Range &range : ranges)
    product *= range.extent();
  return product;
}

bool Box::contains(const Box &other) const {
  if (other.isEmpty())
    return true;
  if (rank() != other.rank())
    return false;
  for (std::size_t dim = 0; dim < rank(); ++dim)
    if (other[dim].begin < ranges[dim].begin ||
        other[dim].end > ranges[dim].end)
      return false;
  return true;
}

Extents Box::offsets() const {
  Extents result;
  for (const Range &range : ranges)
    result.push_back(range.begin);
  return result;
}

Extents Box::sizes() const {
  Extents result;
  for (const Range &range : ranges)
    result.push_back(range.extent());
  return result;
}

bool operator==(const Box &a, const Box &b) {
  return a.ranges == b.ranges || (a.isEmpty() && b.isEmpty());
}

Box intersect(const Box &a, const Box &b) {
  // Only an empty box can be of another rank: that of a tile which has no part
  // of a scalar.
  if (a.rank() != b.rank())
    return a.isEmpty() ? a : b;
  Box result;
  for (std::size_t dim = 0; dim < a.rank(); ++dim)
    result.push_back(intersect(a[dim], b[dim]));
  return result;
}

Box hull(const Box &a, const Box &b) {
  if (b.isEmpty())
    return a;
  if (a.isEmpty())
    return b;
  Box result;
  for (std::size_t dim = 0; dim < a.rank(); ++dim)
    result.push_back(hull(a[dim], b[dim]));
  return result;
}

bool overlap(const Box &a, const Box &b) {
  if (a.rank() != b.rank())
    return false;
  for (std::size_t dim = 0; dim < a.rank(); ++dim)
    if (std::max(a[dim].begin, b[dim].begin) >=
        std::min(a[dim].end, b[dim].end))
      return false;
  return true;
}

std::optional<Box> joined(const Box &a, const Box &b) {
  if (a.contains(b))
    return a;
  if (b.contains(a))
    return b;
  if (a.rank() != b.rank())
    return std::nullopt;
  // Neither box contains the other: the union is a box only when they differ
  // along exactly one dimension and leave no gap there.
  std::optional<std::size_t> differing;
  for (std::size_t dim = 0; dim < a.rank(); ++dim) {
    if (a[dim] == b[dim])
      continue;
    if (differing || a[dim].begin > b[dim].end || b[dim].begin > a[dim].end)
      return std::nullopt;
    differing = dim;
  }
  return hull(a, b);
}

std::vector<Box> subtract(const Box &a, const Box &b) {
  if (a.isEmpty())
    return {};
  if (!overlap(a, b))
    return {a};
  // Peel the parts below and above b, dimension by dimension. Those below come
  // first from the outside in, those above last from the inside out: that is
  // increasing order of offsets.
  std::vector<Box> below, above;
  Box rest = a;
  for (std::size_t dim = 0; dim < a.rank(); ++dim) {
    Range common = intersect(a[dim], b[dim]);
    if (a[dim].begin < common.begin) {
      below.push_back(rest);
      below.back()[dim] = {a[dim].begin, common.begin};
    }
    if (common.end < a[dim].end) {
      above.push_back(rest);
      above.back()[dim] = {common.end, a[dim].end};
    }
    rest[dim] = common;
  }
  below.insert(below.end(), above.rbegin(), above.rend());
  return below;
}

std::string toString(const Box &box) {
  std::string text = "[";
  for (std::size_t dim = 0; dim < box.rank(); ++dim) {
    text += dim ? ", " : "";
    text += std::to_string(box[dim].begin) + ":" + std::to_string(box[dim].end);
  }
  return text + "]";
}

std::string toString(const Extents &extents) {
  std::string text = "[";
  for (std::size_t dim = 0; dim < extents.size(); ++dim) {
    text += dim ? ", " : "";
    text += std::to_string(extents[dim]);
  }
  return text + "]";
}

std::optional<int64_t> checkedProduct(std::span<const int64_t> factors) {
  if (std::find(factors.begin(), factors.end(), 0) != factors.end())
    return 0;
  int64_t product = 1;
  for (int64_t factor : factors)
    if (__builtin_mul_overflow(product, factor, &product))
      return std::nullopt;
  return product;
}

} // namespace npu
