// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// Steps of graphs of TOSA that move entries: concatenations, slices, tiles,
// reshapes, transposes, padding, gathers and scatters.

#include "npu-fuzz/Tosa/TosaGraph.h"

#include <algorithm>

namespace npu {
namespace {

void proposeConcat(TosaGraph &graph) {
  auto first = graph.pickRanked();
  if (!first)
    return;
  Extents shape = graph[*first].shape;
  ElementType type = graph[*first].type;
  int64_t axis = graph.below(std::ssize(shape)), extent = shape[axis];
  std::vector<unsigned> parts = {*first};
  for (int64_t more = graph.below(3); more > 0; --more) {
    shape[axis] = graph.between(1, 4);
    extent += shape[axis];
    parts.push_back(graph.valueOf(shape, type));
  }
  shape[axis] = extent;
  TosaStep step(graph, parts);
  std::vector<TosaValue> operands;
  for (unsigned i = 0; i < parts.size(); ++i)
    operands.push_back(step[i]);
  step.result("concat", axisOf(axis), operands, type, shape);
}

void proposeReshape(TosaGraph &graph) {
  unsigned value = graph.pick();
  int64_t left = Box::whole(graph[value].shape).volume();
  Extents shape;
  for (int64_t dims = graph.between(1, 4); dims > 1; --dims) {
    std::vector<int64_t> divisors;
    for (int64_t extent = 1; extent <= std::min<int64_t>(left, 12); ++extent)
      if (left % extent == 0)
        divisors.push_back(extent);
    shape.push_back(divisors[graph.below(std::ssize(divisors))]);
    left /= shape.back();
  }
  shape.push_back(left);
  std::swap(shape.back(), shape[graph.below(std::ssize(shape))]);
  TosaStep step(graph, {value});
  step.result("reshape", "", {step[0], step.shape(shape.span())},
              graph[value].type, shape);
}

void proposeReverse(TosaGraph &graph) {
  auto value = graph.pickRanked();
  if (!value)
    return;
  const TosaTensor facts = graph[*value];
  TosaStep step(graph, {*value});
  step.result("reverse", axisOf(graph.below(std::ssize(facts.shape))),
              {step[0]}, facts.type, facts.shape);
}

void proposeSlice(TosaGraph &graph) {
  auto value = graph.pickRanked();
  if (!value)
    return;
  Extents starts, sizes;
  for (int64_t extent : graph[*value].shape) {
    starts.push_back(graph.oneIn(2) ? 0 : graph.below(extent));
    sizes.push_back(graph.between(1, extent - starts.back()));
  }
  TosaStep step(graph, {*value});
  TosaValue from = step.shape(starts.span());
  step.result("slice", "", {step[0], from, step.shape(sizes.span())},
              graph[*value].type, sizes);
}

void proposeTile(TosaGraph &graph) {
  auto value = graph.pickRanked();
  if (!value)
    return;
  Extents times, shape;
  for (int64_t extent : graph[*value].shape) {
    times.push_back(graph.oneIn(2) ? 1 : graph.between(1, 3));
    shape.push_back(extent * times.back());
  }
  TosaStep step(graph, {*value});
  step.result("tile", "", {step[0], step.shape(times.span())},
              graph[*value].type, shape);
}

void proposeTranspose(TosaGraph &graph) {
  auto value = graph.pickRanked();
  if (!value)
    return;
  Permutation order = graph.permutation(graph[*value].shape.size());
  TosaStep step(graph, {*value});
  step.result("transpose", "perms = " + tosaArray(order.span(), "i32"),
              {step[0]}, graph[*value].type,
              permute(graph[*value].shape, order));
}

void proposePad(TosaGraph &graph) {
  auto value = graph.pickRanked();
  if (!value)
    return;
  Extents shape = graph[*value].shape;
  std::vector<int64_t> padding;
  for (std::size_t i = 0; i < 2 * shape.size(); ++i)
    padding.push_back(graph.oneIn(2) ? 0 : graph.between(0, 3));
  for (std::size_t i = 0; i < padding.size(); ++i)
    shape[i / 2] += padding[i];
  ElementType type = graph[*value].type;
  TosaStep step(graph, {*value});
  TosaValue amounts = step.shape(padding);
  step.result("pad", "", {step[0], amounts, step.number(nameOf(type), 1)}, type,
              shape);
}

/// A value of three dimensions.
unsigned rows(TosaGraph &graph) {
  auto found = graph.pick([](const TosaTensor &f) {
    return f.shape.size() == 3 && Box::whole(f.shape).volume() > 0;
  });
  if (found && !graph.oneIn(4))
    return *found;
  int64_t a = graph.between(1, 3), b = graph.between(2, 9);
  return graph.argument({a, b, graph.between(1, 8)}, graph.mainType());
}

/// Proposes a gather whose places are kept inside of the values.
void proposeGather(TosaGraph &graph) {
  unsigned values = rows(graph);
  const TosaTensor from = graph[values];
  Extents places = {from.shape[0], graph.between(1, 6)};
  unsigned where = graph.valueOf(places, ElementType::I32);
  TosaStep step(graph, {values, where});
  TosaValue inside =
      step.between(step[1], ElementType::I32, places, 0, from.shape[1] - 1);
  step.result("gather", "", {step[0], inside}, from.type,
              {from.shape[0], places[1], from.shape[2]});
}

/// Proposes a scatter to every so many places from one on.
void proposeScatter(TosaGraph &graph) {
  unsigned values = rows(graph);
  const TosaTensor into = graph[values];
  Extents shape = into.shape;
  int64_t first = graph.below(shape[1]), by = graph.between(1, 3);
  shape[1] = graph.between(1, (shape[1] - first - 1) / by + 1);
  unsigned updates = graph.valueOf(shape, into.type);
  std::vector<int64_t> places;
  for (int64_t batch = 0; batch < shape[0]; ++batch)
    for (int64_t i = 0; i < shape[1]; ++i)
      places.push_back(first + i * by);
  TosaStep step(graph, {values, updates});
  TosaValue where = step.constant(shape.span().first(2), "i32", places);
  step.result("scatter", "", {step[0], where, step[1]}, into.type, into.shape);
}

constexpr TosaKind kKinds[] = {
    proposeConcat, proposeReshape, proposeReverse,
    proposeSlice,  proposeTile,    proposeTranspose,
    proposePad,    proposeGather,  proposeScatter,
};

} // namespace

std::span<const TosaKind> tosaShapeKinds() { return kKinds; }

} // namespace npu
