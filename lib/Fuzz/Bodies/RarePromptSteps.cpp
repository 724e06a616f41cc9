// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// What only some functions to be padded have: loops that reduce and stand in
// the result all the same, and slices that drop one of several dimensions of
// extent 1.

#include "StepMaker.h"

namespace npu {

/// Some of its loops, at least one, are said to reduce. Each entry is written
/// once, so nothing changes, except in what padding may leave there.
unsigned StepMaker::mapByReduction(BodyType type,
                                   const std::vector<BodyExtent> &shape) {
  BodyStep &made = step(map(type, shape));
  auto count = static_cast<int64_t>(made.loops.size());
  int64_t always = random.below(count);
  for (int64_t loop = 0; loop < count; ++loop)
    made.loops[loop].reduces = loop == always || random.oneIn(2);
  double neutral = 0;
  std::string combiner = combinerFor(made.type, neutral);
  made.begin = beginFor(made.type, neutral);
  if (random.oneIn(2))
    made.body = simple(
        combiner, {{BodyExpr::Accumulator, made.type}, std::move(made.body)});
  return recipe.steps.size() - 1;
}

/// One of its dimensions is a single entry, another one mostly as well.
unsigned StepMaker::manyUnits(BodyType type) {
  std::vector<BodyExtent> shape = {{BodyExtent::Prompt},
                                   {BodyExtent::Fixed, random.between(1, 2)},
                                   {BodyExtent::Fixed, 1}};
  if (random.oneIn(3))
    shape.push_back({BodyExtent::Fixed, 1});
  random.shuffle(shape);
  return argument(type, std::move(shape));
}

unsigned StepMaker::takeSlice(unsigned source) {
  if (recipe.steps[source].shape.size() < 2 || random.oneIn(2))
    source = manyUnits(recipe.steps[source].type);
  const BodyStep &from = recipe.steps[source];
  BodyStep taken;
  taken.kind = BodyStep::TakeSlice;
  taken.type = from.type;
  taken.inputs = {{source, {}}};
  place(taken, from.shape);
  taken.shape = from.shape;
  taken.shape.erase(taken.shape.begin() + taken.dim);
  return add(std::move(taken));
}

unsigned StepMaker::putSlice(unsigned source) {
  if (recipe.steps[source].shape.size() < 2 || random.oneIn(2))
    source = manyUnits(recipe.steps[source].type);
  const std::vector<BodyExtent> whole = recipe.steps[source].shape;
  BodyStep put;
  put.kind = BodyStep::PutSlice;
  put.type = recipe.steps[source].type;
  put.shape = whole;
  place(put, whole);
  std::vector<BodyExtent> part = whole;
  part.erase(part.begin() + put.dim);
  // Arguments have no extents that follow the prompt's.
  for (const BodyExtent &extent : part)
    if (extent.kind > BodyExtent::Prompt)
      return takeSlice(source);
  unsigned given = argument(put.type, std::move(part));
  for (unsigned other = 0; other < recipe.steps.size(); ++other)
    if (recipe.steps[other].shape == recipe.steps[given].shape &&
        recipe.steps[other].type == put.type && random.oneIn(2))
      given = other;
  put.inputs = {{given, {}}, {source, {}}};
  return add(std::move(put));
}

/// The dimension that is dropped, and where: of the prompt, whose last entry
/// has another number at every length, the first one.
void StepMaker::place(BodyStep &step, const std::vector<BodyExtent> &shape) {
  do
    step.dim = random.below(std::ssize(shape));
  while (shape[step.dim].kind > BodyExtent::Prompt);
  step.values = {shape[step.dim].kind == BodyExtent::Fixed
                     ? static_cast<double>(random.below(shape[step.dim].number))
                     : 0};
}

} // namespace npu
