// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// Boxes: a half-open range per dimension, in whole-tensor coordinates and
// logical dimension order.

#ifndef NPU_PLACEMENT_BOXES_BOX_H
#define NPU_PLACEMENT_BOXES_BOX_H

#include "npu/Placement/Boxes/FixedVector.h"

#include <cstdint>
#include <optional>
#include <span>
#include <string>
#include <vector>

namespace npu {

/// Tensors of higher rank cannot be distributed (a located error says so).
inline constexpr int kMaxRank = 8;

/// One number per dimension: a shape, offsets, tile counts, alignments.
using Extents = FixedVector<int64_t, kMaxRank>;

/// [begin, end) along one dimension; empty when end <= begin.
struct Range {
  int64_t begin = 0;
  int64_t end = 0;

  int64_t extent() const { return end > begin ? end - begin : 0; }
  bool isEmpty() const { return end <= begin; }
  friend bool operator==(const Range &, const Range &) = default;
};

Range intersect(Range a, Range b);
/// The smallest range that contains both; an empty one adds nothing.
Range hull(Range a, Range b);

/// A box. All empty boxes (of whatever offsets) are equal and lie inside every
/// box. Example: `[0:1, 7:14, 0:336, 0:128]` is heads 7 to 13 of 28.
class Box {
public:
  Box() = default;
  explicit Box(std::size_t rank) : ranges(rank) {}
  Box(std::initializer_list<Range> ranges) : ranges(ranges) {}
  /// The box that is the whole tensor of that shape.
  static Box whole(const Extents &shape);
  static Box fromOffsetsAndSizes(const Extents &offsets, const Extents &sizes);

  std::size_t rank() const { return ranges.size(); }
  Range &operator[](std::size_t dim) { return ranges[dim]; }
  const Range &operator[](std::size_t dim) const { return ranges[dim]; }
  const Range *begin() const { return ranges.begin(); }
  const Range *end() const { return ranges.end(); }
  void push_back(Range range) { ranges.push_back(range); }

  bool isEmpty() const;
  /// Number of elements; the product must fit (checked where shapes enter).
  int64_t volume() const;
  bool contains(const Box &other) const;
  Extents offsets() const;
  Extents sizes() const;

  friend bool operator==(const Box &a, const Box &b);

private:
  FixedVector<Range, kMaxRank> ranges;
};

Box intersect(const Box &a, const Box &b);
Box hull(const Box &a, const Box &b);
bool overlap(const Box &a, const Box &b);
/// The union of two boxes when the union is a box itself.
std::optional<Box> joined(const Box &a, const Box &b);

/// a \ b as disjoint boxes, at most two per dimension, in increasing order.
std::vector<Box> subtract(const Box &a, const Box &b);

/// A part of `whole` that no box covers; nothing when there is none. The search
/// is exact: it divides the space at box borders, so that grids take n log n
/// steps. After `budget` steps it ends without an answer and sets `gaveUp`; the
/// caller refuses boxes that are so irregular.
std::optional<Box> findUncovered(const Box &whole, std::span<const Box> boxes,
                                 bool &gaveUp, int64_t budget = 1 << 24);

/// "[0:1, 7:14]"
std::string toString(const Box &box);
/// "[1, 28, 336, 128]"
std::string toString(const Extents &extents);

/// The product, or nothing when it does not fit in 63 bits.
std::optional<int64_t> checkedProduct(std::span<const int64_t> factors);

} // namespace npu

#endif // NPU_PLACEMENT_BOXES_BOX_H
