// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// Steps that only some functions to be padded have: loops that reduce and are
// dimensions of the result all the same, slices that drop one of several
// dimensions of extent 1, and operands that have to be guarded in padding.

#include "npu-fuzz/Bodies/StepMaker.h"

namespace npu {

/// Declares some of the loops, at least one, as reductions. Each entry is
/// written once, so that nothing changes, except in what padding may contain.
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

/// Adds a tensor with one dimension of extent 1, and mostly a second one.
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
  // Arguments cannot have extents that follow from the prompt.
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

unsigned StepMaker::sumOfGuarded() {
  const BodyExtent prompt = {BodyExtent::Prompt};
  const BodyType types[] = {BodyType::I8, BodyType::I32, BodyType::I64};
  BodyType type = types[random.below(std::size(types))];
  unsigned given = argument(type, {prompt});

  // The number is read in padding alone: every real position is below the
  // prompt's length.
  bool divides = random.oneIn(2);
  BodyStep mask = generic({{prompt, false}});
  mask.inputs = {{given, {0}}};
  BodyExpr position = {.form = BodyExpr::Loop, .type = BodyType::Index};
  BodyExpr length = {.form = BodyExpr::Length, .type = BodyType::Index};
  auto behind = static_cast<double>(divides ? random.between(5, 9) : 1);
  mask.body = random.oneIn(2) ? choose(comparison("slt", position, length),
                                       input(type, 0), number(type, behind))
                              : choose(comparison("uge", position, length),
                                       number(type, behind), input(type, 0));
  unsigned masked = add(std::move(mask));

  BodyStep guarded = generic({{prompt, false}});
  guarded.inputs = {{masked, {0}}};
  if (divides) {
    auto dividend = static_cast<double>(random.between(1, 4));
    guarded.body = {.form = BodyExpr::Divide,
                    .type = type,
                    .name = random.oneIn(2) ? "arith.divsi" : "arith.divui",
                    .operands = {number(type, dividend), input(type, 0)}};
  } else {
    BodyStep numbers;
    numbers.kind = BodyStep::Table;
    numbers.type = type;
    numbers.shape = {{BodyExtent::Fixed, 2}};
    numbers.values = {static_cast<double>(random.between(1, 9)), 0};
    unsigned from = add(std::move(numbers));
    guarded.body = {.form = BodyExpr::Extract,
                    .type = type,
                    .name = random.oneIn(3) ? "guarded" : "",
                    .number = from,
                    .operands = {cast("arith.index_cast", BodyType::Index,
                                      input(type, 0))}};
  }
  unsigned entries = add(std::move(guarded));

  BodyStep sum = generic({{prompt, true}});
  sum.inputs = {{entries, {0}}};
  sum.begin = number(type, 0);
  sum.body =
      simple("arith.addi",
             {{.form = BodyExpr::Accumulator, .type = type}, input(type, 0)});
  return add(std::move(sum));
}

/// Chooses the dimension that is dropped and the position in it: 0 in a
/// dimension of the prompt, whose last entry has another number at every
/// length.
void StepMaker::place(BodyStep &step, const std::vector<BodyExtent> &shape) {
  do
    step.dim = random.below(std::ssize(shape));
  while (shape[step.dim].kind > BodyExtent::Prompt);
  step.values = {shape[step.dim].kind == BodyExtent::Fixed
                     ? static_cast<double>(random.below(shape[step.dim].number))
                     : 0};
}

} // namespace npu
