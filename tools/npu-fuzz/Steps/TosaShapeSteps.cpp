// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// Steps of graphs of TOSA that move entries: concatenations, slices, tiles,
// reshapes, transposes, padding, gathers and scatters.

#include "npu-fuzz/Steps/TosaStep.h"

#include <algorithm>

namespace npu {
namespace {

void proposeConcat(RecipeBuilder &builder, const StepKind &) {
  auto first = builder.pickFilled();
  if (!first)
    return;
  Extents shape = builder[*first].shape;
  ElementType type = builder[*first].type;
  int64_t axis = builder.below(std::ssize(shape)), extent = shape[axis];
  std::vector<unsigned> parts = {*first};
  for (int64_t more = builder.below(3); more > 0; --more) {
    shape[axis] = builder.between(1, 4);
    extent += shape[axis];
    parts.push_back(builder.valueOf(shape, type));
  }
  shape[axis] = extent;
  TosaStep step(builder, parts);
  std::vector<TosaValue> operands;
  for (unsigned i = 0; i < parts.size(); ++i)
    operands.push_back(step[i]);
  step.result("concat", axisOf(axis), operands, type, shape);
}

void proposeReshape(RecipeBuilder &builder, const StepKind &) {
  auto value = builder.pick(
      [](const ValueFacts &f) { return Box::whole(f.shape).volume() > 0; });
  if (!value)
    return;
  int64_t left = Box::whole(builder[*value].shape).volume();
  Extents shape;
  for (int64_t dims = builder.between(1, 4); dims > 1; --dims) {
    std::vector<int64_t> divisors;
    for (int64_t extent = 1; extent <= std::min<int64_t>(left, 12); ++extent)
      if (left % extent == 0)
        divisors.push_back(extent);
    shape.push_back(divisors[builder.below(std::ssize(divisors))]);
    left /= shape.back();
  }
  shape.push_back(left);
  std::swap(shape.back(), shape[builder.below(std::ssize(shape))]);
  TosaStep step(builder, {*value});
  step.result("reshape", "", {step[0], step.shape(shape.span())},
              builder[*value].type, shape);
}

void proposeReverse(RecipeBuilder &builder, const StepKind &) {
  auto value = builder.pickFilled();
  if (!value)
    return;
  const ValueFacts facts = builder[*value];
  TosaStep step(builder, {*value});
  step.result("reverse", axisOf(builder.below(std::ssize(facts.shape))),
              {step[0]}, facts.type, facts.shape);
}

void proposeSlice(RecipeBuilder &builder, const StepKind &) {
  auto value = builder.pickFilled();
  if (!value)
    return;
  Extents starts, sizes;
  for (int64_t extent : builder[*value].shape) {
    starts.push_back(builder.oneIn(2) ? 0 : builder.below(extent));
    sizes.push_back(builder.between(1, extent - starts.back()));
  }
  TosaStep step(builder, {*value});
  TosaValue from = step.shape(starts.span());
  step.result("slice", "", {step[0], from, step.shape(sizes.span())},
              builder[*value].type, sizes);
}

void proposeTile(RecipeBuilder &builder, const StepKind &) {
  auto value = builder.pickFilled();
  if (!value)
    return;
  Extents times, shape;
  for (int64_t extent : builder[*value].shape) {
    times.push_back(builder.oneIn(2) ? 1 : builder.between(1, 3));
    shape.push_back(extent * times.back());
  }
  TosaStep step(builder, {*value});
  step.result("tile", "", {step[0], step.shape(times.span())},
              builder[*value].type, shape);
}

void proposeTranspose(RecipeBuilder &builder, const StepKind &) {
  auto value = builder.pickFilled();
  if (!value)
    return;
  Permutation order = builder.permutation(builder[*value].shape.size());
  TosaStep step(builder, {*value});
  step.result("transpose", "perms = " + tosaArray(order.span(), "i32"),
              {step[0]}, builder[*value].type,
              permute(builder[*value].shape, order));
}

void proposePad(RecipeBuilder &builder, const StepKind &) {
  auto value = builder.pickFilled();
  if (!value)
    return;
  Extents shape = builder[*value].shape;
  std::vector<int64_t> padding;
  for (std::size_t i = 0; i < 2 * shape.size(); ++i)
    padding.push_back(builder.oneIn(2) ? 0 : builder.between(0, 3));
  for (std::size_t i = 0; i < padding.size(); ++i)
    shape[i / 2] += padding[i];
  ElementType type = builder[*value].type;
  TosaStep step(builder, {*value});
  TosaValue amounts = step.shape(padding);
  step.result("pad", "", {step[0], amounts, step.number(nameOf(type), 1)}, type,
              shape);
}

/// A value of three dimensions.
unsigned rows(RecipeBuilder &builder) {
  auto found = builder.pick([](const ValueFacts &f) {
    return f.shape.size() == 3 && Box::whole(f.shape).volume() > 0;
  });
  if (found && !builder.oneIn(4))
    return *found;
  int64_t a = builder.between(1, 3), b = builder.between(2, 9);
  return builder.argument({a, b, builder.between(1, 8)}, builder.mainType());
}

/// Proposes a gather whose places are kept inside of the values.
void proposeGather(RecipeBuilder &builder, const StepKind &) {
  unsigned values = rows(builder);
  const ValueFacts from = builder[values];
  Extents places = {from.shape[0], builder.between(1, 6)};
  unsigned where = builder.valueOf(places, ElementType::I32);
  TosaStep step(builder, {values, where});
  TosaValue inside =
      step.between(step[1], ElementType::I32, places, 0, from.shape[1] - 1);
  step.result("gather", "", {step[0], inside}, from.type,
              {from.shape[0], places[1], from.shape[2]});
}

/// Proposes a scatter to every so many places from one on.
void proposeScatter(RecipeBuilder &builder, const StepKind &) {
  unsigned values = rows(builder);
  const ValueFacts into = builder[values];
  Extents shape = into.shape;
  int64_t first = builder.below(shape[1]), by = builder.between(1, 3);
  shape[1] = builder.between(1, (shape[1] - first - 1) / by + 1);
  unsigned updates = builder.valueOf(shape, into.type);
  std::vector<int64_t> places;
  for (int64_t batch = 0; batch < shape[0]; ++batch)
    for (int64_t i = 0; i < shape[1]; ++i)
      places.push_back(first + i * by);
  TosaStep step(builder, {values, updates});
  TosaValue where = step.constant(shape.span().first(2), "i32", places);
  step.result("scatter", "", {step[0], where, step[1]}, into.type, into.shape);
}

constexpr StepKind kKinds[] = {
    {"tosa concat", proposeConcat, nullptr, nullptr},
    {"tosa reshape", proposeReshape, nullptr, nullptr},
    {"tosa reverse", proposeReverse, nullptr, nullptr},
    {"tosa slice", proposeSlice, nullptr, nullptr},
    {"tosa tile", proposeTile, nullptr, nullptr},
    {"tosa transpose", proposeTranspose, nullptr, nullptr},
    {"tosa pad", proposePad, nullptr, nullptr},
    {"tosa gather", proposeGather, nullptr, nullptr},
    {"tosa scatter", proposeScatter, nullptr, nullptr},
};

} // namespace

std::span<const StepKind> tosaShapeKinds() { return kKinds; }

} // namespace npu
