// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// Checks that all forms of a distribution have the same boxes.

#include "npu-fuzz/Plans/CheckPlan.h"

namespace npu {
namespace {

Result<> checkMeans(const char *form, const Distribution &distribution,
                    const Placement &expected) {
  Result<Placement> got = place(distribution, expected.shape);
  if (!got)
    return Error{std::string(form) + ": " + got.error().message};
  if (got->tiles.size() != expected.tiles.size())
    return Error{std::string(form) + ": expected " +
                 std::to_string(expected.tiles.size()) + " tiles, got " +
                 std::to_string(got->tiles.size())};
  for (std::size_t tile = 0; tile < expected.tiles.size(); ++tile)
    if (got->tiles[tile] != expected.tiles[tile])
      return Error{std::string(form) + ": expected tile " +
                   std::to_string(tile) + " to compute " +
                   toString(expected.tiles[tile].compute) + " and hold " +
                   toString(expected.tiles[tile].memory) + ", got " +
                   toString(got->tiles[tile].compute) + " and " +
                   toString(got->tiles[tile].memory)};
  return Success();
}

Result<> checkCanonical(const char *form, const Distribution &distribution,
                        const Placement &placement) {
  Distribution result = canonical(distribution, placement.shape);
  if (result.mode != distribution.mode)
    return Error{std::string(form) + ": expected mode " +
                 std::string(toString(distribution.mode)) + ", got " +
                 std::string(toString(result.mode))};
  if (canonical(result, placement.shape) != result)
    return Error{std::string(form) + ": expected a fixpoint"};
  return checkMeans(form, result, placement);
}

} // namespace

Result<> checkForms(const Distribution &distribution, const Extents &shape) {
  Placement placement = *place(distribution, shape);
  Distribution written;
  written.mode = distribution.mode;
  std::vector<Box> &compute = written.compute, &memory = written.memory;
  for (const TileBoxes &boxes : placement.tiles) {
    compute.push_back(boxes.compute);
    memory.push_back(boxes.memory);
  }
  // Rotate the dimensions by one.
  Permutation turned;
  for (std::size_t dim = 0; dim < shape.size(); ++dim)
    turned.push_back((dim + 1) % shape.size());
  Distribution image = permute(distribution, turned);
  Distribution back = permute(image, inverse(turned));
  normalize(back);
  return firstOf(
      {checkMeans("written out", written, placement),
       checkCanonical("canonical", distribution, placement),
       checkCanonical("canonical of boxes", written, placement),
       checkMeans("described",
                  describe(shape, memory, &compute, distribution.windows),
                  placement),
       checkMeans("permuted", image, permute(placement, turned)),
       back == distribution
           ? Result<>(Success())
           : Error{"permuted and back: expected the same distribution"}});
}

} // namespace npu
