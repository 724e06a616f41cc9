// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception

#include "npu-fuzz/Bodies/StepMaker.h"

#include <algorithm>
#include <limits>

namespace npu {
namespace {
constexpr double kInfinity = std::numeric_limits<double>::infinity();

BodyExpr accumulator(BodyType type) { return {BodyExpr::Accumulator, type}; }
} // namespace

unsigned StepMaker::add(BodyStep step) {
  if (step.kind == BodyStep::Generic) {
    step.type = step.body.type;
    step.shape.clear();
    for (int loop : step.outputLoops)
      step.shape.push_back(step.loops[loop].extent);
    if (step.begin.type != step.type)
      step.begin = number(step.type, 0);
  }
  recipe.steps.push_back(std::move(step));
  return recipe.steps.size() - 1;
}

unsigned StepMaker::argument(BodyType type, std::vector<BodyExtent> shape,
                             BodyStep::Kind kind) {
  BodyStep step;
  step.kind = kind;
  step.type = type;
  step.shape = std::move(shape);
  return add(std::move(step));
}

unsigned StepMaker::table(BodyType type) {
  BodyStep step;
  step.kind = BodyStep::Table;
  step.type = type;
  int64_t rows = random.between(2, 3), columns = random.oneIn(3) ? 2 : 0;
  step.shape = {{BodyExtent::Fixed, rows}};
  if (columns)
    step.shape.push_back({BodyExtent::Fixed, columns});
  RandomExprs numbers(random, scopeOf(step));
  for (int64_t i = 0; i < rows * std::max<int64_t>(1, columns); ++i) {
    BodyExpr drawn = numbers.special(type);
    step.values.push_back(isFloat(type) ? drawn.value
                                        : static_cast<double>(drawn.number));
  }
  return add(std::move(step));
}

BodyStep StepMaker::generic(std::vector<BodyLoop> loops) {
  BodyStep step;
  step.kind = BodyStep::Generic;
  step.loops = std::move(loops);
  for (std::size_t loop = 0; loop < step.loops.size(); ++loop)
    if (!step.loops[loop].reduces)
      step.outputLoops.push_back(static_cast<int>(loop));
  return step;
}

/// A parallel loop for each dimension.
static std::vector<BodyLoop>
parallelLoops(const std::vector<BodyExtent> &shape) {
  std::vector<BodyLoop> loops;
  loops.reserve(shape.size());
  for (const BodyExtent &extent : shape)
    loops.push_back({extent, false});
  return loops;
}

std::optional<BodyExpr> StepMaker::read(BodyStep &step, unsigned source) {
  const BodyStep &from = recipe.steps[source];
  BodyInput read{source, {}};
  bool together = random.oneIn(5);
  for (const BodyExtent &extent : from.shape) {
    std::vector<int> fitting, unused;
    for (std::size_t loop = 0; loop < step.loops.size(); ++loop)
      if (step.loops[loop].extent == extent) {
        fitting.push_back(static_cast<int>(loop));
        if (std::find(read.loops.begin(), read.loops.end(), fitting.back()) ==
            read.loops.end())
          unused.push_back(fitting.back());
      }
    if (extent.kind == BodyExtent::Fixed &&
        (fitting.empty() || random.oneIn(20)))
      read.loops.push_back(-1);
    else if (fitting.empty())
      return std::nullopt;
    else if (together || unused.empty())
      read.loops.push_back(fitting[random.below(std::ssize(fitting))]);
    else
      read.loops.push_back(random.oneIn(4)
                               ? unused[random.below(std::ssize(unused))]
                               : unused.front());
  }
  step.inputs.push_back(std::move(read));
  return input(from.type, std::ssize(step.inputs) - 1);
}

void StepMaker::readSome(BodyStep &step) {
  int64_t wanted = random.between(1, 3);
  for (int tries = 0; tries < 12 && std::ssize(step.inputs) < wanted; ++tries) {
    int64_t count = std::ssize(recipe.steps);
    int64_t source =
        random.oneIn(2) ? random.below(count)
                        : count - 1 - random.below(std::min<int64_t>(3, count));
    const BodyStep &from = recipe.steps[source];
    if (from.kind != BodyStep::Table && from.kind != BodyStep::Cache)
      (void)read(step, source);
  }
}

Scope StepMaker::scopeOf(const BodyStep &step) const {
  Scope scope;
  scope.loops = step.loops;
  for (const BodyInput &read : step.inputs)
    scope.inputs.push_back(recipe.steps[read.step].type);
  scope.favourite = theme.neutral;
  scope.favouriteType = themeType;
  scope.steps = &recipe.steps;
  scope.tame = tame;
  for (unsigned other = 0; other < recipe.steps.size(); ++other) {
    const BodyStep &table = recipe.steps[other];
    // A tensor that may have no entries cannot be read.
    bool hasEntries = std::all_of(table.shape.begin(), table.shape.end(),
                                  [](const BodyExtent &extent) {
                                    return extent.kind == BodyExtent::Fixed ||
                                           extent.kind == BodyExtent::Prompt;
                                  });
    if (hasEntries && !table.shape.empty() && !recipe.prefill)
      scope.tables.push_back(other);
  }
  return scope;
}

unsigned StepMaker::map(BodyType type, const std::vector<BodyExtent> &shape) {
  BodyStep step = generic(parallelLoops(shape));
  readSome(step);
  if (step.outputLoops.size() == 2 && random.oneIn(8))
    std::swap(step.outputLoops[0], step.outputLoops[1]);
  step.body = RandomExprs(random, scopeOf(step))
                  .any(type, static_cast<int>(random.between(1, 3)));
  return add(std::move(step));
}

unsigned StepMaker::masked(unsigned source) {
  BodyStep step = generic(parallelLoops(recipe.steps[source].shape));
  BodyInput read{source, {}};
  for (std::size_t dim = 0; dim < step.loops.size(); ++dim)
    read.loops.push_back(static_cast<int>(dim));
  step.inputs.push_back(std::move(read));
  BodyType type = recipe.steps[source].type;
  RandomExprs exprs(random, scopeOf(step));
  BodyExpr entry = input(type, 0);
  if (random.oneIn(3))
    entry = exprs.any(type, 2);
  BodyExpr instead = type == themeType && !random.oneIn(3)
                         ? number(type, theme.neutral)
                         : exprs.special(type);
  BodyExpr condition = random.oneIn(4) ? exprs.truth(2) : exprs.mask();
  step.body = random.oneIn(2) ? choose(condition, entry, instead)
                              : choose(condition, instead, entry);
  return add(std::move(step));
}

std::string StepMaker::combinerFor(BodyType type, double &neutral) {
  Combiner chosen = type == themeType && !random.oneIn(4)
                        ? theme
                        : randomCombiner(random, type);
  neutral = chosen.neutral;
  return chosen.name;
}

BodyExpr StepMaker::beginFor(BodyType type, double neutral) {
  if (random.oneIn(2))
    return number(type, neutral);
  BodyStep none;
  return RandomExprs(random, scopeOf(none)).special(type);
}

/// Lets the output begin as any value of its type, instead of a fill.
void StepMaker::beginAsInput(BodyStep &step, BodyType type) {
  std::vector<BodyExtent> shape;
  shape.reserve(step.outputLoops.size());
  for (int loop : step.outputLoops)
    shape.push_back(step.loops[loop].extent);
  for (unsigned other = 0; other < recipe.steps.size(); ++other)
    if (recipe.steps[other].shape == shape &&
        recipe.steps[other].type == type) {
      step.inputs.push_back({other, step.outputLoops});
      step.beginsAsInput = true;
      return;
    }
}

unsigned StepMaker::reduced(unsigned source) {
  const std::vector<BodyExtent> shape = recipe.steps[source].shape;
  BodyType type = recipe.steps[source].type;
  std::vector<BodyLoop> loops;
  BodyInput read{source, {}};
  bool diagonal = shape.size() == 2 && shape[0] == shape[1] && random.oneIn(2);
  int64_t always = shape.empty() ? 0 : random.below(std::ssize(shape));
  for (std::size_t dim = 0; dim < shape.size(); ++dim) {
    if (diagonal && dim > 0) {
      read.loops.push_back(0);
      continue;
    }
    read.loops.push_back(static_cast<int>(std::ssize(loops)));
    loops.push_back({shape[dim], std::ssize(loops) == always ||
                                     random.oneIn(2) || diagonal});
  }
  BodyStep step = generic(std::move(loops));
  step.inputs.push_back(std::move(read));
  if (random.oneIn(3))
    readSome(step);
  double neutral = 0;
  std::string combiner = combinerFor(type, neutral);
  step.begin = beginFor(type, neutral);
  Scope scope = scopeOf(step);
  if (random.oneIn(8))
    beginAsInput(step, type);
  if (random.oneIn(8)) {
    scope.readsAccumulator = true;
    scope.accumulator = type;
    step.body = RandomExprs(random, scope).any(type, 3);
    return add(std::move(step));
  }
  RandomExprs exprs(random, scope);
  BodyExpr term = input(type, 0);
  if (random.oneIn(4))
    term = exprs.any(type, 2);
  else if (random.oneIn(5)) {
    BodyExpr condition = exprs.mask();
    term =
        choose(condition, term,
               random.oneIn(2) ? number(type, neutral) : exprs.special(type));
  }
  std::vector<BodyExpr> both = {accumulator(type), std::move(term)};
  if (random.oneIn(4))
    std::swap(both[0], both[1]);
  step.body = simple(combiner, std::move(both));
  return add(std::move(step));
}

/// The exponential of an entry minus the largest of its row, the two inputs of
/// `power`, mostly behind the mask `seen` or another one.
BodyExpr StepMaker::exponential(const BodyStep &power, BodyType type,
                                BodyExpr seen) {
  RandomExprs exprs(random, scopeOf(power));
  BodyExpr body = simple(
      "math.exp", {simple("arith.subf", {input(type, 0), input(type, 1)})});
  if (!random.oneIn(3)) {
    if (random.oneIn(2))
      seen = exprs.mask();
    body = choose(seen, body,
                  random.oneIn(3) ? exprs.special(type) : number(type, 0));
  }
  // Exchange the branches of the select.
  if (body.form == BodyExpr::Select && random.oneIn(2))
    std::swap(body.operands[1], body.operands[2]);
  return body;
}

unsigned StepMaker::softmaxInParts(unsigned source) {
  const std::vector<BodyExtent> shape = recipe.steps[source].shape;
  BodyType type = recipe.steps[source].type;
  std::size_t along = random.below(std::ssize(shape));
  std::vector<BodyLoop> parallel, reducing;
  std::vector<int> whole, rows;
  for (std::size_t dim = 0; dim < shape.size(); ++dim) {
    parallel.push_back({shape[dim], false});
    reducing.push_back({shape[dim], dim == along});
    whole.push_back(static_cast<int>(dim));
    if (dim != along)
      rows.push_back(static_cast<int>(dim));
  }
  BodyExpr seen;
  BodyStep mask = generic(parallel);
  mask.inputs = {{source, whole}};
  {
    RandomExprs exprs(random, scopeOf(mask));
    BodyExpr entry = random.oneIn(2)
                         ? input(type, 0)
                         : simple(random.oneIn(2) ? "math.log" : "math.sqrt",
                                  {input(type, 0)});
    seen = exprs.mask();
    mask.body =
        random.oneIn(6) ? entry : choose(seen, entry, number(type, -kInfinity));
  }
  unsigned scores = add(std::move(mask));

  auto reduce = [&](unsigned of, const char *combiner, double begin) {
    BodyStep step = generic(reducing);
    step.inputs = {{of, whole}};
    step.begin = number(type, begin);
    step.body = simple(combiner, {accumulator(type), input(type, 0)});
    return add(std::move(step));
  };
  unsigned largest = reduce(
      scores, random.oneIn(3) ? "arith.maxnumf" : "arith.maximumf", -kInfinity);

  BodyStep power = generic(parallel);
  power.inputs = {{scores, whole}, {largest, rows}};
  power.body = exponential(power, type, std::move(seen));
  unsigned powers = add(std::move(power));
  unsigned sum = reduce(powers, "arith.addf", random.oneIn(5) ? -0.0 : 0.0);
  if (!random.oneIn(3))
    return sum;
  BodyStep weight = generic(parallel);
  weight.inputs = {{powers, whole}, {sum, rows}};
  weight.body = simple("arith.divf", {input(type, 0), input(type, 1)});
  return add(std::move(weight));
}

/// A division of constants whose quotient is mostly the neutral element of the
/// function's reductions.
BodyExpr StepMaker::constantDivision(BodyType type) {
  BodyType integers = isFloat(type) ? BodyType::I32 : type;
  const double small[] = {0, 1, 2, 3, 4, 8, -1, -7};
  const char *divisions[] = {"arith.divsi", "arith.remsi",      "arith.divui",
                             "arith.remui", "arith.floordivsi", "arith.divsi"};
  BodyExpr divided;
  for (int tries = 0; tries < 20; ++tries) {
    auto a = static_cast<int64_t>(small[random.below(std::size(small))]);
    int64_t b = random.between(1, 8);
    const char *name = divisions[random.below(std::size(divisions))];
    divided = simple(name, {number(integers, static_cast<double>(a)),
                            number(integers, static_cast<double>(b))});
    divided.form = BodyExpr::Divide;
    bool divides = divided.name.find("div") != std::string::npos;
    auto result = static_cast<double>(divides ? a / b : a % b);
    if (a >= 0 && result == theme.neutral)
      break;
  }
  if (isFloat(type))
    return cast("arith.sitofp", type, divided);
  return divided;
}

unsigned StepMaker::constantByDetour(BodyType type,
                                     const std::vector<BodyExtent> &shape) {
  BodyStep step = generic(parallelLoops(shape));
  readSome(step);
  BodyExpr detour;
  if (type == BodyType::I1 || type == BodyType::F16 || random.oneIn(3)) {
    unsigned from = table(type);
    detour.form = BodyExpr::Extract;
    detour.type = type;
    detour.number = from;
    if (random.oneIn(4))
      detour.name = "guarded";
    for (std::size_t dim = 0; dim < recipe.steps[from].shape.size(); ++dim)
      detour.operands.push_back(indexNumber(random.below(2)));
  } else {
    detour = constantDivision(type);
  }
  RandomExprs exprs(random, scopeOf(step));
  // Put a mask in front of one of the operands, or of the whole.
  if (detour.form == BodyExpr::Divide && random.oneIn(3)) {
    BodyExpr &operand = detour.operands[random.below(2)];
    BodyExpr condition = exprs.mask();
    operand = choose(condition, exprs.any(type, 0), operand);
  }
  if (random.oneIn(4)) {
    BodyExpr condition = exprs.mask();
    detour = choose(condition, exprs.any(type, 1), detour);
  }
  step.body = std::move(detour);
  return add(std::move(step));
}

} // namespace npu
