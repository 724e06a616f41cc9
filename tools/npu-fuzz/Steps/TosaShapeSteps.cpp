// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// Steps of graphs of TOSA that move entries: concatenations, slices, tiles,
// reshapes, transposes, padding, gathers and scatters.

#include "npu-fuzz/Steps/TosaSteps.h"

#include <algorithm>

using namespace mlir;

namespace npu {
namespace {

/// An operation on a value and a constant shape.
void withShape(OperationMaker &maker, llvm::StringRef op, const Fact &from,
               const Extents &numbers, const Extents &shape) {
  tosaStep(maker, from.type, shape, [&](TosaBuilder &tosa, Type result) {
    return tosa.one(op, "", {from.value, tosa.shape(numbers)}, result);
  });
}

void concat(OperationMaker &maker) {
  auto value = maker.pickRanked();
  if (!value)
    return;
  std::vector<Fact> parts = {maker[*value]};
  Extents shape = parts[0].shape;
  int64_t axis = maker.below(std::ssize(shape)), extent = shape[axis];
  for (int64_t more = maker.below(3); more > 0; --more) {
    shape[axis] = maker.between(1, 4);
    extent += shape[axis];
    parts.push_back(maker[maker.valueOf(fixedDims(shape), parts[0].type)]);
  }
  shape[axis] = extent;
  tosaStep(maker, "concat", tosaAxis(axis), parts, parts[0].type, shape);
}

void reshape(OperationMaker &maker) {
  const Fact from = maker[*maker.pick()];
  int64_t left = from.volume();
  Extents shape;
  for (int64_t dims = maker.between(1, 4); dims > 1; --dims) {
    std::vector<int64_t> divisors;
    for (int64_t extent = 1; extent <= std::min<int64_t>(left, 12); ++extent)
      if (left % extent == 0)
        divisors.push_back(extent);
    shape.push_back(divisors[maker.below(std::ssize(divisors))]);
    left /= shape.back();
  }
  shape.push_back(left);
  std::swap(shape.back(), shape[maker.below(std::ssize(shape))]);
  withShape(maker, "reshape", from, shape, shape);
}

void reverse(OperationMaker &maker) {
  auto value = maker.pickRanked();
  if (!value)
    return;
  const Fact from = maker[*value];
  tosaStep(maker, "reverse", tosaAxis(maker.below(std::ssize(from.shape))),
           {from}, from.type, from.shape);
}

void slice(OperationMaker &maker) {
  auto value = maker.pickRanked();
  if (!value)
    return;
  const Fact from = maker[*value];
  Extents starts, sizes;
  for (int64_t extent : from.shape) {
    starts.push_back(maker.oneIn(2) ? 0 : maker.below(extent));
    sizes.push_back(maker.between(1, extent - starts.back()));
  }
  tosaStep(maker, from.type, sizes, [&](TosaBuilder &tosa, Type result) {
    Value begin = tosa.shape(starts);
    return tosa.one("slice", "", {from.value, begin, tosa.shape(sizes)},
                    result);
  });
}

void tile(OperationMaker &maker) {
  auto value = maker.pickRanked();
  if (!value)
    return;
  Extents times, shape;
  for (int64_t extent : maker[*value].shape) {
    times.push_back(maker.oneIn(2) ? 1 : maker.between(1, 3));
    shape.push_back(extent * times.back());
  }
  withShape(maker, "tile", maker[*value], times, shape);
}

void transpose(OperationMaker &maker) {
  auto value = maker.pickRanked();
  if (!value)
    return;
  const Fact from = maker[*value];
  Permutation order = maker.permutation(from.shape.size());
  tosaStep(maker, "transpose",
           fmt::format("perms = array<i32: {}>",
                       fmt::join(order.begin(), order.end(), ", ")),
           {from}, from.type, permute(from.shape, order));
}

void pad(OperationMaker &maker) {
  auto value = maker.pickRanked();
  if (!value)
    return;
  const Fact from = maker[*value];
  Extents shape = from.shape;
  std::vector<int64_t> padding;
  for (std::size_t i = 0; i < 2 * shape.size(); ++i) {
    padding.push_back(maker.oneIn(2) ? 0 : maker.between(0, 3));
    shape[i / 2] += padding[i];
  }
  tosaStep(maker, from.type, shape, [&](TosaBuilder &tosa, Type result) {
    Value amounts = tosa.shape(padding);
    return tosa.one("pad", "", {from.value, amounts, tosa.number(from.type, 1)},
                    result);
  });
}

/// A value of three dimensions.
Fact rows(OperationMaker &maker) {
  auto found =
      maker.pick([](const Fact &each) { return each.shape.size() == 3; });
  if (found && !maker.oneIn(4))
    return maker[*found];
  int64_t a = maker.between(1, 3), b = maker.between(2, 9);
  return maker[maker.argument({a, b, maker.between(1, 8)}, maker.mainType())];
}

/// A gather whose places are kept inside of the values.
void gather(OperationMaker &maker) {
  const Fact from = rows(maker);
  Extents places = {from.shape[0], maker.between(1, 6)};
  const Fact where = maker[maker.valueOf(fixedDims(places), ElementType::I32)];
  tosaStep(maker, from.type, {places[0], places[1], from.shape[2]},
           [&](TosaBuilder &tosa, Type result) {
             Value inside = tosa.between(where, 0, from.shape[1] - 1);
             return tosa.one("gather", "", {from.value, inside}, result);
           });
}

/// A scatter to every so many places from one on.
void scatter(OperationMaker &maker) {
  const Fact into = rows(maker);
  Extents shape = into.shape;
  int64_t first = maker.below(shape[1]), by = maker.between(1, 3);
  shape[1] = maker.between(1, (shape[1] - first - 1) / by + 1);
  const Fact updates = maker[maker.valueOf(fixedDims(shape), into.type)];
  std::vector<int64_t> places;
  for (int64_t batch = 0; batch < shape[0]; ++batch)
    for (int64_t i = 0; i < shape[1]; ++i)
      places.push_back(first + i * by);
  tosaStep(maker, into.type, into.shape, [&](TosaBuilder &tosa, Type result) {
    Value where =
        tosa.constant({shape[0], shape[1]}, tosa.b.getI32Type(), places);
    return tosa.one("scatter", "", {into.value, where, updates.value}, result);
  });
}

} // namespace

std::span<const StepRow> tosaShapeSteps() {
  static constexpr StepRow kRows[] = {
      {concat, {.tosa = 1}}, {reshape, {.tosa = 1}}, {reverse, {.tosa = 1}},
      {slice, {.tosa = 1}},  {tile, {.tosa = 1}},    {transpose, {.tosa = 1}},
      {pad, {.tosa = 1}},    {gather, {.tosa = 1}},  {scatter, {.tosa = 1}},
  };
  return kRows;
}

} // namespace npu
