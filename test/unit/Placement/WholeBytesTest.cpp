// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// Cuts between bytes, against the elements of every byte one by one.

#include "npu/Placement/Distributions/WholeBytes.h"
#include "Elements.h"

#include <gtest/gtest.h>

namespace npu {
namespace {

/// Calls `check(shape, perByte)` for shapes of up to three dimensions.
template <typename Check>
void forEachShape(Check check) {
  for (int64_t perByte : {1, 2, 4})
    for (int64_t a = 1; a <= 5; ++a) {
      check(Extents{a}, perByte);
      for (int64_t b = 1; b <= 6; ++b) {
        check(Extents{a, b}, perByte);
        for (int64_t c = 1; c <= 5; ++c)
          check(Extents{a, b, c}, perByte);
      }
    }
}

/// Whether a box has all elements or none of every byte, of a tensor whose
/// dimensions lie in memory in this order.
bool hasWholeBytes(const Box &box, const Extents &shape,
                   const Permutation &order, int64_t perByte) {
  Elements inside = elementsOf(box, shape);
  Extents stored;
  for (int64_t dim : order)
    stored.push_back(shape[dim]);
  std::vector<int> found(inside.size() / perByte + 1, 0), all(found);
  forEachElement(stored, [&](std::size_t place, const Extents &index) {
    std::size_t number = 0;
    for (std::size_t dim = 0; dim < shape.size(); ++dim) {
      std::size_t at = 0;
      while (order[at] != static_cast<int64_t>(dim))
        ++at;
      number = number * shape[dim] + index[at];
    }
    found[place / perByte] += inside[number];
    ++all[place / perByte];
  });
  for (std::size_t byte = 0; byte < found.size(); ++byte)
    if (found[byte] != 0 && found[byte] != all[byte])
      return false;
  return true;
}

Permutation identityOf(const Extents &shape) {
  Permutation order;
  for (std::size_t dim = 0; dim < shape.size(); ++dim)
    order.push_back(static_cast<int64_t>(dim));
  return order;
}

TEST(WholeBytes, CutsAreThoseBetweenBytes) {
  forEachShape([](const Extents &shape, int64_t perByte) {
    Extents multiples = cutsBetweenBytes(shape, {}, perByte);
    for (std::size_t dim = 0; dim < shape.size(); ++dim)
      for (int64_t cut = 1; cut < shape[dim]; ++cut) {
        Box box = Box::whole(shape);
        box[dim].end = cut;
        bool isAllowed = multiples[dim] != 0 && cut % multiples[dim] == 0;
        EXPECT_EQ(isAllowed,
                  hasWholeBytes(box, shape, identityOf(shape), perByte))
            << toString(box) << " of " << toString(shape) << ", " << perByte;
      }
  });
}

TEST(WholeBytes, BoxesOfAllowedCutsHaveWholeBytesInBothOrders) {
  forEachShape([](const Extents &shape, int64_t perByte) {
    Permutation order = identityOf(shape);
    std::reverse(order.begin(), order.end());
    Extents multiples = cutsBetweenBytes(shape, order, perByte);
    // Every box: its bounds are the digits of two numbers.
    forEachElement(shape, [&](std::size_t, const Extents &begin) {
      forEachElement(shape, [&](std::size_t, const Extents &last) {
        Box box(shape.size());
        for (std::size_t dim = 0; dim < shape.size(); ++dim)
          box[dim] = {begin[dim], last[dim] + 1};
        if (box.isEmpty())
          return;
        Box grown = grownToBytes(box, shape, multiples);
        EXPECT_TRUE(grown.contains(box));
        for (const Permutation &each : {identityOf(shape), order})
          EXPECT_TRUE(hasWholeBytes(grown, shape, each, perByte))
              << toString(grown) << " of " << toString(shape);
      });
    });
  });
}

TEST(WholeBytes, ByteCutsAreSaidWithTheNearestBox) {
  Placement placement{{5, 7},
                      {{Box{{0, 3}, {0, 7}}, Box{{0, 3}, {0, 7}}},
                       {Box{{3, 5}, {0, 7}}, Box{{3, 5}, {0, 7}}}}};
  std::optional<ByteCut> cut = findByteCut(placement, {}, 2);
  ASSERT_TRUE(cut);
  EXPECT_EQ(
      toString(*cut, 2),
      "[0:3, 0:7] of tile 0 cuts a byte, which 2 elements share: "
      "dimension 0 may be cut at multiples of 2; the nearest box of whole "
      "bytes is [0:2, 0:7]");
  EXPECT_FALSE(findByteCut(placement, {}, 1));
}

} // namespace
} // namespace npu
