// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception

#include "npu/Placement/Distributions/WholeBytes.h"

#include <numeric>

namespace npu {

/// The cuts between bytes of a tensor that lies in one order.
static Extents cutsInOrder(const Extents &shape, const Permutation &order,
                           int64_t perByte) {
  std::size_t rank = shape.size();
  Extents multiples(rank, 1);
  // Numbers modulo the elements of a byte: products of extents may be large.
  int64_t stride = 1;
  bool isOutermost = true;
  for (std::size_t place = rank; place-- > 0;) {
    std::size_t dim = order.empty() ? place : order[place];
    int64_t row = stride * (shape[dim] % perByte) % perByte;
    isOutermost = true;
    for (std::size_t outer = 0; outer < place; ++outer)
      isOutermost &= shape[order.empty() ? outer : order[outer]] == 1;
    multiples[dim] =
        row != 0 && !isOutermost ? 0 : perByte / std::gcd(perByte, stride);
    stride = row;
  }
  return multiples;
}

Extents cutsBetweenBytes(const Extents &shape, const Permutation &order,
                         int64_t perByte) {
  Extents multiples = cutsInOrder(shape, {}, perByte);
  if (isIdentity(order))
    return multiples;
  Extents inOrder = cutsInOrder(shape, order, perByte);
  for (std::size_t dim = 0; dim < multiples.size(); ++dim)
    multiples[dim] = std::lcm(multiples[dim], inOrder[dim]);
  return multiples;
}

Box grownToBytes(const Box &box, const Extents &shape,
                 const Extents &multiples) {
  if (box.isEmpty())
    return box;
  Box grown = box;
  for (std::size_t dim = 0; dim < box.rank(); ++dim) {
    int64_t multiple = multiples[dim], extent = shape[dim];
    if (multiple == 0)
      grown[dim] = {0, extent};
    else
      grown[dim] = {box[dim].begin / multiple * multiple,
                    std::min(extent, (box[dim].end + multiple - 1) / multiple *
                                         multiple)};
  }
  return grown;
}

namespace {

bool isCut(Range range, int64_t extent, int64_t multiple) {
  if (range.begin == 0 && range.end == extent)
    return false;
  return multiple == 0 || range.begin % multiple != 0 ||
         (range.end % multiple != 0 && range.end != extent);
}

Range nearestTo(Range range, int64_t extent, int64_t multiple) {
  if (multiple == 0)
    return {0, extent};
  auto rounded = [&](int64_t bound) {
    return (bound + (multiple - 1) / 2) / multiple * multiple;
  };
  int64_t begin = rounded(range.begin);
  int64_t end =
      range.end == extent ? extent : std::min(extent, rounded(range.end));
  if (begin >= end)
    return {range.begin / multiple * multiple,
            std::min(extent, range.begin / multiple * multiple + multiple)};
  return {begin, end};
}

} // namespace

std::optional<ByteCut> findByteCut(const Placement &placement,
                                   const Permutation &order, int64_t perByte) {
  Extents multiples = cutsBetweenBytes(placement.shape, order, perByte);
  for (std::size_t tile = 0; tile < placement.tiles.size(); ++tile)
    for (const Box *box :
         {&placement.tiles[tile].compute, &placement.tiles[tile].memory}) {
      if (box->isEmpty())
        continue;
      ByteCut cut{tile, *box, 0, 0, *box};
      bool isFound = false;
      for (std::size_t dim = 0; dim < box->rank(); ++dim) {
        int64_t extent = placement.shape[dim];
        if (!isCut((*box)[dim], extent, multiples[dim]))
          continue;
        if (!isFound) {
          cut.dim = dim;
          cut.multiple = multiples[dim];
        }
        isFound = true;
        cut.nearest[dim] = nearestTo((*box)[dim], extent, multiples[dim]);
      }
      if (isFound)
        return cut;
    }
  return std::nullopt;
}

std::string toString(const ByteCut &cut, int64_t perByte) {
  std::string dim = "dimension " + std::to_string(cut.dim);
  std::string where =
      cut.multiple == 0
          ? dim + " cannot be cut, because its rows begin inside of bytes"
          : dim + " may be cut at multiples of " + std::to_string(cut.multiple);
  return toString(cut.box) + " of tile " + std::to_string(cut.tile) +
         " cuts a byte, which " + std::to_string(perByte) +
         " elements share: " + where + "; the nearest box of whole bytes is " +
         toString(cut.nearest);
}

} // namespace npu
