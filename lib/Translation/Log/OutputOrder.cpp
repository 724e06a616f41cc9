// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception

#include "OutputOrder.h"

#include <algorithm>

namespace npu {
namespace {

/// The most orders that are tried: all orders of rank 6, and the first ones of
/// a higher rank. Each is placed and compared box by box.
constexpr int kMaxComparedOrders = 720;

class OrderTrial {
public:
  explicit OrderTrial(const CastSides &sides) : sides(sides) {
    if (sides.inShape)
      in = placementOf(sides.in, *sides.inShape);
    if (sides.outShape) {
      out = placementOf(sides.out, *sides.outShape);
      if (sides.expected)
        expected = placementOf(*sides.expected, *sides.outShape);
    }
  }

  std::optional<OutputOrder> tryOrder(const Permutation &order) {
    Permutation inDim = castDimensions(sides.inOrder, sides.memPerm, order);
    OutputOrder result;
    result.order = order;
    result.inShape = sides.inShape ? *sides.inShape
                                   : permute(*sides.outShape, inverse(inDim));
    result.outShape = permute(result.inShape, inDim);
    if (sides.outShape && result.outShape != *sides.outShape)
      return std::nullopt;
    if (!sides.inShape)
      in = placementOf(sides.in, result.inShape);
    if (!sides.outShape) {
      out = placementOf(sides.out, result.outShape);
      if (sides.expected)
        expected = placementOf(*sides.expected, result.outShape);
    }
    if (!in)
      return result;
    Placement image = permute(*in, inDim);
    result.makesBoxesAgree = out && sameMemory(image, *out);
    result.givesExpected = expected && sameMemory(image, *expected);
    return result;
  }

private:
  static std::optional<Placement> placementOf(const LoggedDistribution &logged,
                                              const Extents &shape) {
    Result<Distribution> distribution = distributionAt(logged, shape);
    if (!distribution)
      return std::nullopt;
    Result<Placement> placement = place(*distribution, shape);
    if (!placement)
      return std::nullopt;
    return std::move(*placement);
  }

  const CastSides &sides;
  std::optional<Placement> in;
  std::optional<Placement> out;
  std::optional<Placement> expected;
};

bool isBetter(const OutputOrder &a, const OutputOrder &b) {
  return std::pair(a.givesExpected, a.makesBoxesAgree) >
         std::pair(b.givesExpected, b.makesBoxesAgree);
}

} // namespace

std::optional<OutputOrder> tryOutputOrder(const CastSides &sides,
                                          const Permutation &order) {
  return OrderTrial(sides).tryOrder(order);
}

std::optional<OutputOrder> findOutputOrder(const CastSides &sides) {
  std::size_t rank = (sides.inShape ? sides.inShape : sides.outShape)->size();
  OrderTrial trial(sides);
  std::optional<OutputOrder> best;
  int compared = 0;
  // Returns whether no other order can be better.
  auto consider = [&](const Permutation &order) {
    std::optional<OutputOrder> found = trial.tryOrder(order);
    if (!found)
      return false;
    ++compared;
    if (!best || isBetter(*found, *best))
      best = found;
    return (best->givesExpected || !sides.expected) && best->makesBoxesAgree;
  };
  if (std::optional<Permutation> usual = parseOrderName(rank == 4   ? "NHWC"
                                                        : rank == 5 ? "GNHWC"
                                                                    : ""))
    if (consider(*usual))
      return best;
  Permutation order = identityPermutation(rank);
  do {
    if (consider(order))
      return best;
  } while (compared < kMaxComparedOrders &&
           std::next_permutation(order.begin(), order.end()));
  return best;
}

} // namespace npu
