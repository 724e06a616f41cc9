// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// Makes up functions to be run in chunks: rows are changed and put into a
// cache, and the entries of the cache are weighed by their positions, mostly
// after a mask that makes the function causal.

#include "npu-fuzz/Bodies/StepMaker.h"
#include "npu-fuzz/Recipes/ReduceRecipe.h"

#include <limits>

namespace npu {
namespace {

constexpr Extent kRows = {Extent::Prompt};
constexpr Extent kPositions = {Extent::Fixed, kCachePositions};
constexpr Extent kColumns = {Extent::Fixed, 4};
constexpr ElementType kType = ElementType::F32;
constexpr double kInfinity = std::numeric_limits<double>::infinity();

/// The loops of operations in which rows meet positions of a cache.
enum MeetingLoop { Row = 0, Position = 1, Column = 2 };

class PrefillMaker {
public:
  PrefillMaker(uint64_t seed, uint64_t number)
      : builder(seed ^ 0x6368756e6b73, number), random(builder),
        maker(builder) {
    builder.made().prompt.emplace();
  }

  Recipe make() {
    PromptTask &task = *builder.made().prompt;
    task.prefill = true;
    task.offsetByAffine = random.oneIn(40);
    // The space in the cache after the last offset.
    task.longest = kCachePositions - kPrefillOffsets[1];
    maker.setTheme(kType);
    task.assumesFinite = !random.oneIn(3);
    if (task.assumesFinite)
      maker.keepTame();
    x = maker.argument(kType, {kRows, kColumns});
    unsigned cache = maker.argument(kType, {kPositions, kColumns}, cacheKind);
    if (random.oneIn(3)) {
      bias = maker.argument(kType, {kPositions});
      if (random.oneIn(2))
        bias = onBias(*bias);
    }
    unsigned rows = random.oneIn(3) ? putOnRows(x) : x;
    Step into{&intoCacheKind, {rows, cache}};
    into.type = kType;
    into.extents = {kPositions, kColumns};
    full = maker.add(std::move(into));
    unsigned result = random.oneIn(2) ? weighedSum() : attention();
    if (random.oneIn(4))
      result = onRows(result);
    builder.made().results = {result, full};
    prune(builder.made());
    return std::move(builder.made());
  }

private:
  static Expr loop(MeetingLoop which) { return npu::position(which); }

  /// The position of a row in the cache.
  static Expr rowPosition() {
    return simple("arith.addi", {loop(Row), {Expr::Offset, kIndex}});
  }

  Scope meetingScope(const Step &step) {
    Scope scope = maker.scopeOf(step);
    scope.rowLoop = Row;
    scope.hasLength = false;
    return scope;
  }

  /// An elementwise operation on a tensor of positions that does not follow
  /// from the prompt, with numbers of any size.
  unsigned onBias(unsigned source) {
    Step step = maker.generic({{kPositions, false}});
    maker.read(step, source, {0});
    Scope scope = maker.scopeOf(step);
    scope.hasLength = false;
    scope.tame = false;
    step.nest->bodies[0] = RandomExprs(random, scope).any(kType, 2);
    return maker.add(std::move(step));
  }

  /// The rows that go into the cache: finite where that is assumed.
  unsigned putOnRows(unsigned source) {
    if (!builder.made().prompt->assumesFinite)
      return onRows(source);
    Step step = maker.generic({{kRows, false}, {kColumns, false}});
    maker.read(step, source, {0, 1});
    Expr entry = input(kType, 0);
    Expr turned = simple("math.sin", {positionAs(kType, rowPosition())});
    step.nest->bodies[0] =
        simple(random.oneIn(2) ? "arith.mulf" : "arith.addf", {entry, turned});
    return maker.add(std::move(step));
  }

  /// An elementwise operation on rows, at times with their positions.
  unsigned onRows(unsigned source) {
    Step step = maker.generic({{kRows, false}, {kColumns, false}});
    maker.read(step, source, {0, 1});
    Scope scope = meetingScope(step);
    step.nest->bodies[0] = RandomExprs(random, scope).any(kType, 2);
    return maker.add(std::move(step));
  }

  /// A condition that is mostly true where the position is at or before the
  /// row.
  Expr seen(RandomExprs &exprs) {
    Expr p = rowPosition(), j = loop(Position);
    switch (random.below(10)) {
    case 0:
      return comparison("sge", p, j);
    case 1:
      return comparison("ule", j, p);
    case 2:
      return comparison(
          "sle", simple("arith.subi", {j, {Expr::Offset, kIndex}}), loop(Row));
    case 3: {
      Expr window =
          comparison("sgt", j, simple("arith.subi", {p, number(kIndex, 3)}));
      return simple("arith.andi", {comparison("sle", j, p), window});
    }
    case 4:
      return exprs.mask();
    default:
      return comparison("sle", j, p);
    }
  }

  /// A float that follows from positions alone, often infinite where the
  /// position is after the row.
  Expr byPositions(RandomExprs &exprs) {
    Expr p = rowPosition(), j = loop(Position);
    auto minus = [](Expr a, Expr b) {
      return positionAs(kType,
                        simple("arith.subi", {std::move(a), std::move(b)}));
    };
    auto plus = [](Expr a, double by) {
      return simple("arith.addf", {std::move(a), number(kType, by)});
    };
    switch (random.below(9)) {
    case 0:
      return simple("math.log", {plus(minus(p, j), 1)});
    case 1:
      return simple("arith.divf", {number(kType, 1), plus(minus(j, p), -1)});
    case 2:
      return simple("math.exp",
                    {simple("arith.mulf", {minus(j, p), number(kType, 100)})});
    case 3:
      return simple("math.sqrt", {minus(p, j)});
    case 4: {
      Expr condition = exprs.mask();
      return choose(condition, number(kType, 1),
                    number(kType, random.oneIn(2) ? kInfinity : -kInfinity));
    }
    case 5: {
      Expr position = positionAs(kType, random.oneIn(2) ? j : p);
      return simple(random.oneIn(2) ? "math.exp" : "math.log", {position});
    }
    case 6:
      return simple("arith.divf", {plus(minus(p, j), 0), positionAs(kType, j)});
    default:
      return exprs.any(kType, 2);
    }
  }

  /// An entry of the cache that is made neutral after the row.
  Expr weighed(RandomExprs &exprs, Expr entry, Expr neutral) {
    Expr zero = number(kType, 0), one = number(kType, 1);
    Expr value = std::move(entry);
    if (random.oneIn(2)) {
      Expr factor = byPositions(exprs);
      if (random.oneIn(3))
        factor = choose(comparison("ogt", value, zero), factor, value);
      value = simple(random.oneIn(4) ? "arith.addf" : "arith.mulf",
                     {value, factor});
    }
    switch (random.below(6)) {
    case 0:
    case 1:
      return simple("arith.mulf", {choose(seen(exprs), one, zero), value});
    case 2:
    case 3: {
      Expr masked =
          simple("arith.addf",
                 {value, choose(seen(exprs), zero, number(kType, -kInfinity))});
      return simple("math.exp", {masked});
    }
    case 4:
      return exprs.any(kType, 3);
    default:
      return choose(seen(exprs), value, std::move(neutral));
    }
  }

  /// Rows that are sums, or other reductions, over the cache.
  unsigned weighedSum() {
    Step step =
        maker.generic({{kRows, false}, {kPositions, true}, {kColumns, false}});
    maker.read(step, full, {Position, Column});
    if (random.oneIn(3))
      maker.read(step, x, {Row, Column});
    if (bias && random.oneIn(2))
      maker.read(step, *bias, {Position});
    Scope scope = meetingScope(step);
    RandomExprs exprs(random, scope);
    Combiner combiner = randomCombiner(random, kType);
    if (random.oneIn(2))
      combiner = {"arith.addf", 0};
    step.nest->begins[0] =
        number(kType, random.oneIn(3) ? 0 : combiner.neutral);
    Expr entry = input(kType, 0);
    Expr accumulator = npu::accumulator(kType);
    if (random.oneIn(6)) {
      scope.readsAccumulator = true;
      RandomExprs recurrence(random, scope);
      step.nest->bodies[0] = recurrence.any(kType, 3);
      if (random.oneIn(2))
        step.nest->bodies[0] =
            choose(seen(exprs), step.nest->bodies[0], accumulator);
    } else {
      step.nest->bodies[0] =
          simple(combiner.name,
                 {accumulator,
                  weighed(exprs, entry, number(kType, combiner.neutral))});
    }
    return maker.add(std::move(step));
  }

  /// The scores of each row with each position.
  unsigned scores() {
    Step step =
        maker.generic({{kRows, false}, {kPositions, false}, {kColumns, true}});
    maker.read(step, full, {Position, Column});
    Expr entry = input(kType, 0);
    Expr accumulator = npu::accumulator(kType);
    step.nest->begins[0] = number(kType, random.oneIn(3) ? 1 : 0);
    if (random.oneIn(4)) {
      // Make a recurrence.
      switch (random.below(4)) {
      case 0:
        accumulator = simple("math.sqrt", {accumulator});
        break;
      case 1:
        accumulator = simple("math.log", {accumulator});
        break;
      case 2:
        accumulator = simple("arith.divf", {number(kType, 1), accumulator});
        break;
      default: {
        Scope scope = meetingScope(step);
        scope.readsAccumulator = true;
        accumulator = RandomExprs(random, scope).any(kType, 2);
      }
      }
      step.nest->bodies[0] = simple("arith.addf", {accumulator, entry});
    } else {
      maker.read(step, x, {Row, Column});
      Expr other = input(kType, 1);
      step.nest->bodies[0] = simple(
          "arith.addf", {accumulator, simple("arith.mulf", {entry, other})});
    }
    return maker.add(std::move(step));
  }

  unsigned attention() {
    unsigned score = scores();
    unsigned weights = 0;
    Step mask = maker.generic({{kRows, false}, {kPositions, false}});
    maker.read(mask, score, {Row, Position});
    if (bias && random.oneIn(2))
      maker.read(mask, *bias, {Position});
    {
      RandomExprs exprs(random, meetingScope(mask));
      Expr entry = input(kType, 0);
      if (random.oneIn(3))
        entry = simple("arith.addf", {entry, byPositions(exprs)});
      bool softmax = random.oneIn(2);
      Expr after = number(kType, softmax ? -kInfinity : 0);
      switch (random.below(5)) {
      case 0:
        mask.nest->bodies[0] =
            simple("arith.mulf",
                   {choose(seen(exprs), entry, number(kType, 0.5)),
                    choose(seen(exprs), number(kType, 1), number(kType, 0))});
        // Exchange the sides of the comparison.
        if (random.oneIn(2))
          std::swap(mask.nest->bodies[0].operands[0].operands[1],
                    mask.nest->bodies[0].operands[0].operands[2]);
        break;
      case 1:
        mask.nest->bodies[0] =
            simple("arith.addf", {entry, choose(seen(exprs), number(kType, 0),
                                                number(kType, -kInfinity))});
        break;
      case 2:
        mask.nest->bodies[0] = weighed(exprs, entry, after);
        break;
      default:
        mask.nest->bodies[0] = choose(seen(exprs), entry, after);
      }
      weights = maker.add(std::move(mask));
      if (softmax) {
        Step named{&kindNamed(reductionKinds(), "softmax"), {weights}, {1}};
        named.type = kType;
        named.extents = {kRows, kPositions};
        weights = maker.add(std::move(named));
      }
    }
    Step product =
        maker.generic({{kRows, false}, {kPositions, true}, {kColumns, false}});
    maker.read(product, weights, {Row, Position});
    maker.read(product, full, {Position, Column});
    Expr weight = input(kType, 0);
    Expr entry = input(kType, 1);
    RandomExprs exprs(random, meetingScope(product));
    if (random.oneIn(4))
      entry = simple("arith.mulf", {entry, byPositions(exprs)});
    product.nest->bodies[0] =
        simple("arith.addf",
               {accumulator(kType), simple("arith.mulf", {weight, entry})});
    return maker.add(std::move(product));
  }

  RecipeBuilder builder;
  RandomNumbers &random;
  StepMaker maker;
  unsigned x = 0, full = 0;
  std::optional<unsigned> bias;
};

} // namespace

Recipe randomPrefillBodies(uint64_t seed, uint64_t number) {
  return PrefillMaker(seed, number).make();
}

} // namespace npu
