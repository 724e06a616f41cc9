// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception

#include "npu-fuzz/Bodies/StepMaker.h"

#include <algorithm>
#include <limits>

namespace npu {
namespace {
constexpr double kInfinity = std::numeric_limits<double>::infinity();
} // namespace

unsigned StepMaker::add(Step step) {
  if (step.nest) {
    LoopNest &nest = *step.nest;
    step.type = nest.bodies[0].type;
    for (const AffineIndex &index : nest.outputs[0])
      step.extents.push_back(nest.loops[index.loop].extent);
    if (nest.begins[0].type != step.type)
      nest.begins[0] = number(step.type, 0);
    // Tensors that are extracted from become operands.
    nest.bodies[0].walk([&](Expr &expr) {
      if (expr.form != Expr::Extract)
        return;
      step.operands.push_back(expr.number);
      expr.number = std::ssize(step.operands) - 1;
    });
  }
  return *builder.add(std::move(step));
}

unsigned StepMaker::argument(ElementType type, std::vector<Extent> shape,
                             const StepKind &kind) {
  Step step{&kind};
  step.type = type;
  step.extents = std::move(shape);
  return add(std::move(step));
}

unsigned StepMaker::table(ElementType type) {
  Step step{&tableKind};
  step.type = type;
  int64_t rows = random.between(2, 3), columns = random.oneIn(3) ? 2 : 0;
  step.extents = {{Extent::Fixed, rows}};
  if (columns)
    step.extents.push_back({Extent::Fixed, columns});
  RandomExprs numbers(random, scopeOf(step));
  for (int64_t i = 0; i < rows * std::max<int64_t>(1, columns); ++i) {
    step.values.push_back(numbers.special(type).value);
  }
  return add(std::move(step));
}

Step StepMaker::generic(std::vector<Loop> loops) {
  Step step{&nestKind};
  step.nest.emplace();
  for (std::size_t loop = 0; loop < loops.size(); ++loop)
    if (!loops[loop].reduces)
      step.nest->outputs[0].push_back(
          {AffineIndex::Plain, static_cast<int64_t>(loop)});
  step.nest->loops = std::move(loops);
  return step;
}

/// A parallel loop for each dimension.
static std::vector<Loop> parallelLoops(const std::vector<Extent> &shape) {
  std::vector<Loop> loops;
  loops.reserve(shape.size());
  for (const Extent &extent : shape)
    loops.push_back({extent, false});
  return loops;
}

void StepMaker::read(Step &step, unsigned source,
                     std::span<const int64_t> loops) {
  step.operands.push_back(source);
  step.nest->inputs.push_back(plainIndices(loops));
}

bool StepMaker::read(Step &step, unsigned source) {
  const Step &from = recipe.steps[source];
  std::vector<AffineIndex> map;
  auto isRead = [&](int64_t loop) {
    return llvm::any_of(
        map, [&](const AffineIndex &index) { return index.uses(loop); });
  };
  bool together = random.oneIn(5);
  for (const Extent &extent : from.extents) {
    std::vector<int64_t> fitting, unused;
    for (std::size_t loop = 0; loop < step.nest->loops.size(); ++loop)
      if (step.nest->loops[loop].extent == extent) {
        fitting.push_back(static_cast<int64_t>(loop));
        if (!isRead(fitting.back()))
          unused.push_back(fitting.back());
      }
    if (extent.kind == Extent::Fixed && (fitting.empty() || random.oneIn(20)))
      map.push_back({AffineIndex::Constant});
    else if (fitting.empty())
      return false;
    else if (together || unused.empty())
      map.push_back(
          {AffineIndex::Plain, fitting[random.below(std::ssize(fitting))]});
    else
      map.push_back({AffineIndex::Plain,
                     random.oneIn(4) ? unused[random.below(std::ssize(unused))]
                                     : unused.front()});
  }
  step.operands.push_back(source);
  step.nest->inputs.push_back(std::move(map));
  return true;
}

void StepMaker::readSome(Step &step) {
  int64_t wanted = random.between(1, 3);
  for (int tries = 0; tries < 12 && std::ssize(step.operands) < wanted;
       ++tries) {
    int64_t count = std::ssize(recipe.steps);
    int64_t source =
        random.oneIn(2) ? random.below(count)
                        : count - 1 - random.below(std::min<int64_t>(3, count));
    const Step &from = recipe.steps[source];
    if (from.kind != &tableKind && from.kind != &cacheKind)
      read(step, source);
  }
}

Scope StepMaker::scopeOf(const Step &step) const {
  Scope scope;
  if (step.nest)
    scope.loops = step.nest->loops;
  for (unsigned operand : step.operands)
    scope.inputs.push_back(recipe.steps[operand].type);
  scope.favourite = theme.neutral;
  scope.favouriteType = themeType;
  scope.steps = &recipe.steps;
  scope.tame = tame;
  for (unsigned other = 0; other < recipe.steps.size(); ++other) {
    const Step &table = recipe.steps[other];
    // A tensor that may have no entries cannot be read.
    bool hasEntries = llvm::all_of(table.extents, [](const Extent &extent) {
      return extent.kind <= Extent::Prompt;
    });
    if (hasEntries && !table.extents.empty() && !recipe.prompt->prefill)
      scope.tables.push_back(other);
  }
  return scope;
}

Step StepMaker::mapOf(ElementType type, const std::vector<Extent> &shape) {
  Step step = generic(parallelLoops(shape));
  readSome(step);
  if (step.nest->outputs[0].size() == 2 && random.oneIn(8))
    std::swap(step.nest->outputs[0][0], step.nest->outputs[0][1]);
  step.nest->bodies[0] = RandomExprs(random, scopeOf(step))
                             .any(type, static_cast<int>(random.between(1, 3)));
  return step;
}

unsigned StepMaker::map(ElementType type, const std::vector<Extent> &shape) {
  return add(mapOf(type, shape));
}

unsigned StepMaker::masked(unsigned source) {
  Step step = generic(parallelLoops(recipe.steps[source].extents));
  step.operands = {source};
  step.nest->inputs = {step.nest->outputs[0]};
  ElementType type = recipe.steps[source].type;
  RandomExprs exprs(random, scopeOf(step));
  Expr entry = input(type, 0);
  if (random.oneIn(3))
    entry = exprs.any(type, 2);
  Expr instead = type == themeType && !random.oneIn(3)
                     ? number(type, theme.neutral)
                     : exprs.special(type);
  Expr condition = random.oneIn(4) ? exprs.truth(2) : exprs.mask();
  step.nest->bodies[0] = random.oneIn(2) ? choose(condition, entry, instead)
                                         : choose(condition, instead, entry);
  return add(std::move(step));
}

std::string StepMaker::combinerFor(ElementType type, double &neutral) {
  Combiner chosen = type == themeType && !random.oneIn(4)
                        ? theme
                        : randomCombiner(random, type);
  neutral = chosen.neutral;
  return chosen.name;
}

Expr StepMaker::beginFor(ElementType type, double neutral) {
  if (random.oneIn(2))
    return number(type, neutral);
  Step none;
  return RandomExprs(random, scopeOf(none)).special(type);
}

/// Lets the output begin as any value of its type, instead of a fill.
void StepMaker::beginAsInput(Step &step, ElementType type) {
  std::vector<Extent> shape;
  shape.reserve(step.nest->outputs[0].size());
  for (const AffineIndex &index : step.nest->outputs[0])
    shape.push_back(step.nest->loops[index.loop].extent);
  for (unsigned other = 0; other < recipe.steps.size(); ++other)
    if (recipe.steps[other].extents == shape &&
        recipe.steps[other].type == type) {
      step.operands.push_back(other);
      step.nest->beginsAsOperand = true;
      return;
    }
}

unsigned StepMaker::reduced(unsigned source) {
  const std::vector<Extent> shape = recipe.steps[source].extents;
  ElementType type = recipe.steps[source].type;
  std::vector<Loop> loops;
  std::vector<int64_t> read;
  bool diagonal = shape.size() == 2 && shape[0] == shape[1] && random.oneIn(2);
  int64_t always = shape.empty() ? 0 : random.below(std::ssize(shape));
  for (std::size_t dim = 0; dim < shape.size(); ++dim) {
    if (diagonal && dim > 0) {
      read.push_back(0);
      continue;
    }
    read.push_back(std::ssize(loops));
    loops.push_back({shape[dim], std::ssize(loops) == always ||
                                     random.oneIn(2) || diagonal});
  }
  Step step = generic(std::move(loops));
  step.operands = {source};
  step.nest->inputs = {plainIndices(read)};
  if (random.oneIn(3))
    readSome(step);
  double neutral = 0;
  std::string combiner = combinerFor(type, neutral);
  step.nest->begins[0] = beginFor(type, neutral);
  Scope scope = scopeOf(step);
  if (random.oneIn(8))
    beginAsInput(step, type);
  if (random.oneIn(8)) {
    scope.readsAccumulator = true;
    scope.accumulator = type;
    step.nest->bodies[0] = RandomExprs(random, scope).any(type, 3);
    return add(std::move(step));
  }
  RandomExprs exprs(random, scope);
  Expr term = input(type, 0);
  if (random.oneIn(4))
    term = exprs.any(type, 2);
  else if (random.oneIn(5)) {
    Expr condition = exprs.mask();
    term =
        choose(condition, term,
               random.oneIn(2) ? number(type, neutral) : exprs.special(type));
  }
  std::vector<Expr> both = {accumulator(type), std::move(term)};
  if (random.oneIn(4))
    std::swap(both[0], both[1]);
  step.nest->bodies[0] = simple(combiner, std::move(both));
  return add(std::move(step));
}

/// The exponential of an entry minus the largest of its row, the two inputs of
/// `power`, mostly after the mask `seen` or another one.
Expr StepMaker::exponential(const Step &power, ElementType type, Expr seen) {
  RandomExprs exprs(random, scopeOf(power));
  Expr body = simple("math.exp",
                     {simple("arith.subf", {input(type, 0), input(type, 1)})});
  if (!random.oneIn(3)) {
    if (random.oneIn(2))
      seen = exprs.mask();
    body = choose(seen, body,
                  random.oneIn(3) ? exprs.special(type) : number(type, 0));
  }
  // Exchange the branches of the select.
  if (body.form == Expr::Select && random.oneIn(2))
    std::swap(body.operands[1], body.operands[2]);
  return body;
}

unsigned StepMaker::softmaxInParts(unsigned source) {
  const std::vector<Extent> shape = recipe.steps[source].extents;
  ElementType type = recipe.steps[source].type;
  std::size_t along = random.below(std::ssize(shape));
  std::vector<Loop> parallel, reducing;
  std::vector<int64_t> whole, rows;
  for (std::size_t dim = 0; dim < shape.size(); ++dim) {
    parallel.push_back({shape[dim], false});
    reducing.push_back({shape[dim], dim == along});
    whole.push_back(static_cast<int64_t>(dim));
    if (dim != along)
      rows.push_back(static_cast<int64_t>(dim));
  }
  Expr seen;
  Step mask = generic(parallel);
  read(mask, source, whole);
  {
    RandomExprs exprs(random, scopeOf(mask));
    Expr entry = random.oneIn(2)
                     ? input(type, 0)
                     : simple(random.oneIn(2) ? "math.log" : "math.sqrt",
                              {input(type, 0)});
    seen = exprs.mask();
    mask.nest->bodies[0] =
        random.oneIn(6) ? entry : choose(seen, entry, number(type, -kInfinity));
  }
  unsigned scores = add(std::move(mask));

  auto reduce = [&](unsigned of, const char *combiner, double begin) {
    Step step = generic(reducing);
    read(step, of, whole);
    step.nest->begins[0] = number(type, begin);
    step.nest->bodies[0] =
        simple(combiner, {accumulator(type), input(type, 0)});
    return add(std::move(step));
  };
  unsigned largest = reduce(
      scores, random.oneIn(3) ? "arith.maxnumf" : "arith.maximumf", -kInfinity);

  Step power = generic(parallel);
  read(power, scores, whole);
  read(power, largest, rows);
  power.nest->bodies[0] = exponential(power, type, std::move(seen));
  unsigned powers = add(std::move(power));
  unsigned sum = reduce(powers, "arith.addf", random.oneIn(5) ? -0.0 : 0.0);
  if (!random.oneIn(3))
    return sum;
  Step weight = generic(parallel);
  read(weight, powers, whole);
  read(weight, sum, rows);
  weight.nest->bodies[0] =
      simple("arith.divf", {input(type, 0), input(type, 1)});
  return add(std::move(weight));
}

/// A division of constants whose quotient is mostly the neutral element of the
/// function's reductions.
Expr StepMaker::constantDivision(ElementType type) {
  ElementType integers = isFloat(type) ? ElementType::I32 : type;
  const double small[] = {0, 1, 2, 3, 4, 8, -1, -7};
  const char *divisions[] = {"arith.divsi", "arith.remsi",      "arith.divui",
                             "arith.remui", "arith.floordivsi", "arith.divsi"};
  Expr divided;
  for (int tries = 0; tries < 20; ++tries) {
    auto a = static_cast<int64_t>(small[random.below(std::size(small))]);
    int64_t b = random.between(1, 8);
    const char *name = divisions[random.below(std::size(divisions))];
    divided = division(name, number(integers, static_cast<double>(a)),
                       number(integers, static_cast<double>(b)));
    bool divides = divided.name.find("div") != std::string::npos;
    auto result = static_cast<double>(divides ? a / b : a % b);
    if (a >= 0 && result == theme.neutral)
      break;
  }
  if (isFloat(type))
    return cast("arith.sitofp", type, divided);
  return divided;
}

unsigned StepMaker::constantByDetour(ElementType type,
                                     const std::vector<Extent> &shape) {
  Step step = generic(parallelLoops(shape));
  readSome(step);
  Expr detour;
  if (type == ElementType::Bool || type == ElementType::F16 ||
      random.oneIn(3)) {
    unsigned from = table(type);
    detour.form = Expr::Extract;
    detour.type = type;
    detour.number = from;
    if (random.oneIn(4))
      detour.name = "guarded";
    for (std::size_t dim = 0; dim < recipe.steps[from].extents.size(); ++dim)
      detour.operands.push_back(indexNumber(random.below(2)));
  } else {
    detour = constantDivision(type);
  }
  RandomExprs exprs(random, scopeOf(step));
  // Put a mask in front of one of the operands, or of the whole.
  if (detour.form == Expr::Divide && random.oneIn(3)) {
    Expr &operand = detour.operands[random.below(2)];
    Expr condition = exprs.mask();
    operand = choose(condition, exprs.any(type, 0), operand);
  }
  if (random.oneIn(4)) {
    Expr condition = exprs.mask();
    detour = choose(condition, exprs.any(type, 1), detour);
  }
  step.nest->bodies[0] = std::move(detour);
  return add(std::move(step));
}

/// Declares some of the loops, at least one, as reductions. Each entry is
/// written once, so that nothing changes, except in what padding may contain.
unsigned StepMaker::mapByReduction(ElementType type,
                                   const std::vector<Extent> &shape) {
  Step made = mapOf(type, shape);
  auto count = static_cast<int64_t>(made.nest->loops.size());
  int64_t always = random.below(count);
  for (int64_t loop = 0; loop < count; ++loop)
    made.nest->loops[loop].reduces = loop == always || random.oneIn(2);
  double neutral = 0;
  std::string combiner = combinerFor(type, neutral);
  made.nest->begins[0] = beginFor(type, neutral);
  if (random.oneIn(2))
    made.nest->bodies[0] =
        simple(combiner, {accumulator(type), std::move(made.nest->bodies[0])});
  return add(std::move(made));
}

/// Adds a tensor with one dimension of extent 1, and mostly a second one.
unsigned StepMaker::manyUnits(ElementType type) {
  std::vector<Extent> shape = {{Extent::Prompt},
                               {Extent::Fixed, random.between(1, 2)},
                               {Extent::Fixed, 1}};
  if (random.oneIn(3))
    shape.push_back({Extent::Fixed, 1});
  random.shuffle(shape);
  return argument(type, std::move(shape));
}

unsigned StepMaker::takeSlice(unsigned source) {
  if (recipe.steps[source].extents.size() < 2 || random.oneIn(2))
    source = manyUnits(recipe.steps[source].type);
  Step taken = sliceOf(source, "extract_slice");
  taken.operands = {source};
  return add(std::move(taken));
}

unsigned StepMaker::putSlice(unsigned source) {
  if (recipe.steps[source].extents.size() < 2 || random.oneIn(2))
    source = manyUnits(recipe.steps[source].type);
  Step put = sliceOf(source, "insert_slice");
  std::vector<Extent> part =
      std::exchange(put.extents, recipe.steps[source].extents);
  // Arguments cannot have extents that follow from the prompt.
  for (const Extent &extent : part)
    if (extent.kind > Extent::Prompt)
      return takeSlice(source);
  unsigned given = argument(put.type, std::move(part));
  for (unsigned other = 0; other < recipe.steps.size(); ++other)
    if (recipe.steps[other].extents == recipe.steps[given].extents &&
        recipe.steps[other].type == put.type && random.oneIn(2))
      given = other;
  put.operands = {given, source};
  return add(std::move(put));
}

unsigned StepMaker::sumOfGuarded() {
  const Extent prompt = {Extent::Prompt};
  const ElementType types[] = {ElementType::I8, ElementType::I32,
                               ElementType::I64};
  ElementType type = types[random.below(std::size(types))];
  unsigned given = argument(type, {prompt});

  // The number is read in padding alone: every real position is below the
  // prompt's length.
  bool divides = random.oneIn(2);
  Step mask = generic({{prompt, false}});
  read(mask, given, {0});
  Expr position = npu::position(int64_t{0});
  Expr length = {.form = Expr::Length, .type = kIndex};
  auto after = static_cast<double>(divides ? random.between(5, 9) : 1);
  mask.nest->bodies[0] = random.oneIn(2)
                             ? choose(comparison("slt", position, length),
                                      input(type, 0), number(type, after))
                             : choose(comparison("uge", position, length),
                                      number(type, after), input(type, 0));
  unsigned masked = add(std::move(mask));

  Step guarded = generic({{prompt, false}});
  read(guarded, masked, {0});
  if (divides) {
    auto dividend = static_cast<double>(random.between(1, 4));
    guarded.nest->bodies[0] =
        division(random.oneIn(2) ? "arith.divsi" : "arith.divui",
                 number(type, dividend), input(type, 0));
  } else {
    Step numbers{&tableKind};
    numbers.type = type;
    numbers.extents = {{Extent::Fixed, 2}};
    numbers.values = {static_cast<double>(random.between(1, 9)), 0};
    unsigned from = add(std::move(numbers));
    guarded.nest->bodies[0] = {
        .form = Expr::Extract,
        .type = type,
        .name = random.oneIn(3) ? "guarded" : "",
        .number = from,
        .operands = {cast("arith.index_cast", kIndex, input(type, 0))}};
  }
  unsigned entries = add(std::move(guarded));

  Step sum = generic({{prompt, true}});
  read(sum, entries, {0});
  sum.nest->begins[0] = number(type, 0);
  sum.nest->bodies[0] =
      simple("arith.addi", {accumulator(type), input(type, 0)});
  return add(std::move(sum));
}

/// A slice of one entry of a dimension of `source`, without that dimension, or
/// an insertion of such a slice: at 0 in a dimension of the prompt, whose last
/// entry has another number at every length. The extents are the slice's.
Step StepMaker::sliceOf(unsigned source, std::string_view kind) {
  Step slice{&kindNamed(sliceKinds(), kind)};
  slice.type = recipe.steps[source].type;
  slice.extents = recipe.steps[source].extents;
  std::size_t dropped = 0;
  do
    dropped = random.below(std::ssize(slice.extents));
  while (slice.extents[dropped].kind > Extent::Prompt);
  const Extent at = slice.extents[dropped];
  int64_t place = at.kind == Extent::Fixed ? random.below(at.number) : 0;
  for (std::size_t dim = 0; dim < slice.extents.size(); ++dim)
    if (dim == dropped)
      slice.numbers.insert(slice.numbers.end(), {place, 1, 1, 1});
    else
      slice.numbers.insert(slice.numbers.end(),
                           {0, slice.extents[dim].at(kInferredLength), 1, 0});
  slice.extents.erase(slice.extents.begin() +
                      static_cast<std::ptrdiff_t>(dropped));
  return slice;
}

} // namespace npu
