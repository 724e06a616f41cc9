// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// Reduces greedily: every kind of change is tried at every step, until a whole
// round changes nothing. Changes are made in the recipe, where types are
// inferred and need not be edited.

#include "npu-fuzz/Recipes/ReduceRecipe.h"
#include "npu-fuzz/Recipes/StepBody.h"

#include <algorithm>

namespace npu {
namespace {

/// Drops operands that no expression uses, and renumbers the others.
void pruneOperands(Step &step) {
  LoopNest &nest = *step.nest;
  std::vector<bool> needed(step.operands.size());
  auto forEachUse = [&](auto visit) {
    for (Expr &body : nest.bodies)
      body.walk([&](Expr &expr) {
        if (expr.form == Expr::Input || expr.form == Expr::Extract)
          visit(expr.number);
      });
  };
  forEachUse([&](int64_t operand) { needed[operand] = true; });
  std::size_t initial = nest.inputs.size();
  // The shapes of checked nests come from their operands.
  for (std::size_t i = 0; nest.isChecked && i < initial; ++i)
    needed[i] = true;
  if (nest.beginsAsOperand) {
    nest.beginsAsOperand = nest.isChecked || nest.usesAccumulator();
    for (std::size_t i = 0; i < nest.outputs.size(); ++i)
      needed[initial + i] = nest.beginsAsOperand;
  }
  std::vector<int64_t> number(step.operands.size());
  std::vector<unsigned> operands;
  std::vector<std::vector<AffineIndex>> inputs;
  for (std::size_t i = 0; i < step.operands.size(); ++i) {
    number[i] = std::ssize(operands);
    if (!needed[i])
      continue;
    operands.push_back(step.operands[i]);
    if (i < initial)
      inputs.push_back(nest.inputs[i]);
  }
  forEachUse([&](int64_t &operand) { operand = number[operand]; });
  step.operands = std::move(operands);
  nest.inputs = std::move(inputs);
}

} // namespace

void prune(Recipe &recipe) {
  std::vector<bool> needed(recipe.steps.size());
  for (unsigned result : recipe.results)
    needed[result] = true;
  for (std::size_t step = recipe.steps.size(); step-- > 0;) {
    if (recipe.steps[step].isKept)
      needed[step] = true;
    if (!needed[step])
      continue;
    if (recipe.steps[step].nest)
      pruneOperands(recipe.steps[step]);
    for (unsigned operand : recipe.steps[step].operands)
      needed[operand] = true;
  }
  // Keep one argument of the prompt's length, if no step needs one.
  std::vector<ArgumentDim> dims = promptDims(recipe);
  if (!dims.empty() && llvm::none_of(dims, [&](const ArgumentDim &dim) {
        return needed[dim.step];
      }))
    needed[dims[0].step] = true;
  std::vector<unsigned> number(recipe.steps.size());
  std::vector<Step> kept;
  for (std::size_t step = 0; step < recipe.steps.size(); ++step) {
    number[step] = kept.size();
    if (!needed[step])
      continue;
    kept.push_back(std::move(recipe.steps[step]));
    for (unsigned &operand : kept.back().operands)
      operand = number[operand];
  }
  for (unsigned &result : recipe.results)
    result = number[result];
  recipe.steps = std::move(kept);
}

namespace {

void replaceUses(Recipe &recipe, unsigned from, unsigned to) {
  for (Step &step : recipe.steps)
    std::replace(step.operands.begin(), step.operands.end(), from, to);
  std::replace(recipe.results.begin(), recipe.results.end(), from, to);
}

/// Cuts the explicit boxes of tensors that have become smaller.
void cutBoxes(Recipe &recipe) {
  std::vector<ValueFacts> facts;
  for (Step &step : recipe.steps) {
    Operands operands;
    for (unsigned operand : step.operands)
      operands.push_back(&facts[operand]);
    auto result = step.kind->infer(step, operands, recipe.exact);
    if (!result)
      return;
    if (step.layout.distribution) {
      Box whole = Box::whole(result->shape);
      for (auto *boxes : {&step.layout.distribution->compute,
                          &step.layout.distribution->memory})
        for (Box &box : *boxes)
          if (box.rank() == whole.rank())
            box = intersect(box, whole);
      result->layout = step.layout;
    }
    facts.push_back(*result);
  }
}

/// Layouts that are simpler than this one, the simplest first.
std::vector<Layout> simplerLayouts(const Layout &layout) {
  std::vector<Layout> simpler;
  auto add = [&](auto change) {
    Layout changed = layout;
    change(changed);
    if (changed != layout)
      simpler.push_back(std::move(changed));
  };
  add([](Layout &l) { l = {}; });
  add([](Layout &l) { l.order = {}; });
  if (!layout.distribution)
    return simpler;
  add([](Layout &l) {
    Distribution duplicated;
    duplicated.mode = Mode::Duplicated;
    duplicated.tileCount = std::min<int64_t>(2, tileCount(*l.distribution));
    l.distribution = duplicated;
  });
  add([](Layout &l) { l.distribution->mode = Mode::Segmented; });
  add([](Layout &l) { l.distribution->memory.clear(); });
  add([](Layout &l) { l.distribution->windows.clear(); });
  add([](Layout &l) { l.distribution->align.clear(); });
  add([](Layout &l) { l.distribution->major.clear(); });
  add([](Layout &l) { l.distribution->copies = 1; });
  add([](Layout &l) { l.distribution->split = Split::Balanced; });
  for (std::size_t dim = 0; dim < layout.distribution->tiles.size(); ++dim)
    add([dim](Layout &l) {
      l.distribution->tiles[dim] = (l.distribution->tiles[dim] + 1) / 2;
      l.distribution->major.clear();
    });
  return simpler;
}

class Reducer {
public:
  Reducer(Recipe recipe, const std::function<bool(const Recipe &)> &fails,
          unsigned mostTries)
      : recipe(std::move(recipe)), fails(fails), triesLeft(mostTries) {}

  Recipe run() {
    bool changed = true;
    while (changed && triesLeft > 0) {
      changed = false;
      changed |= runInTurn();
      changed |= assignMorePlainly();
      changed |= returnLess();
      changed |= forEachStep(&Reducer::makeArgument);
      changed |= forEachStep(&Reducer::useAnother);
      changed |= forEachStep(&Reducer::simplifyBodies);
      changed |= forEachStep(&Reducer::simplifyNest);
      changed |= forEachStep(&Reducer::simplifyLayout);
      changed |= forEachStep(&Reducer::halveExtents);
      changed |= shorten();
    }
    return std::move(recipe);
  }

private:
  bool accept(Recipe candidate) {
    prune(candidate);
    if (triesLeft == 0 || !inferFacts(candidate))
      return false;
    --triesLeft;
    if (!fails(candidate))
      return false;
    recipe = std::move(candidate);
    return true;
  }

  bool forEachStep(bool (Reducer::*change)(unsigned)) {
    bool changed = false;
    for (auto step = static_cast<unsigned>(recipe.steps.size()); step-- > 0;)
      if (step < recipe.steps.size())
        changed |= (this->*change)(step);
    return changed;
  }

  /// Runs tiles one after the other instead of in parallel.
  bool runInTurn() {
    Recipe candidate = recipe;
    return std::exchange(candidate.parallelTiles, false) &&
           accept(std::move(candidate));
  }

  /// Assigns layouts without sums in parts, for a device with fewer figures of
  /// its own, or for fewer tiles.
  bool assignMorePlainly() {
    bool changed = false;
    if (!recipe.assign)
      return false;
    Recipe whole = recipe;
    if (std::exchange(whole.assign->splitReductions, false))
      changed |= accept(std::move(whole));
    for (std::size_t i = recipe.assign->figures.size(); i-- > 0;) {
      Recipe candidate = recipe;
      candidate.assign->figures.erase(candidate.assign->figures.begin() +
                                      static_cast<std::ptrdiff_t>(i));
      changed |= accept(std::move(candidate));
    }
    while (recipe.assign->tiles > 1) {
      Recipe candidate = recipe;
      candidate.assign->tiles /= 2;
      if (!accept(std::move(candidate)))
        break;
      changed = true;
    }
    return changed;
  }

  /// Returns one result instead of several, one result less, or an operand of a
  /// result instead of it.
  bool returnLess() {
    std::vector<std::vector<unsigned>> instead;
    std::vector<ValueFacts> facts = *inferFacts(recipe);
    // A function to be run in chunks has to return its caches.
    bool returnsCaches = recipe.prompt && recipe.prompt->prefill;
    if (recipe.results.size() > 1 && !returnsCaches)
      for (unsigned result : recipe.results)
        instead.push_back({result});
    for (std::size_t i = 0; i < recipe.results.size(); ++i) {
      const Step &made = recipe.steps[recipe.results[i]];
      auto others = recipe.results;
      if (made.kind != &intoCacheKind)
        for (unsigned operand : made.operands)
          if (!facts[operand].undefined && !facts[operand].scalar) {
            others[i] = operand;
            instead.push_back(returnsCaches ? others
                                            : std::vector<unsigned>{operand});
          }
    }
    for (std::size_t i = 0;
         instead.size() > 1 && !returnsCaches && i < recipe.results.size() &&
         recipe.results.size() > 1;
         ++i) {
      instead.push_back(recipe.results);
      instead.back().erase(instead.back().begin() +
                           static_cast<std::ptrdiff_t>(i));
    }
    for (std::vector<unsigned> &results : instead) {
      Recipe candidate = recipe;
      candidate.results = std::move(results);
      if (accept(std::move(candidate)))
        return true;
    }
    return false;
  }

  bool makeArgument(unsigned number) {
    if (isArgument(recipe.steps[number]) ||
        recipe.steps[number].kind == &intoCacheKind)
      return false;
    ValueFacts facts = (*inferFacts(recipe))[number];
    Recipe candidate = recipe;
    Step &step = candidate.steps[number];
    step = {facts.scalar ? &scalarArgumentKind : &argumentKind,
            {},
            {},
            facts.type,
            facts.layout};
    step.numbers.assign(facts.shape.begin(), facts.shape.end());
    step.extents = facts.extents;
    return accept(std::move(candidate));
  }

  /// Replaces a value by an earlier one of the same shape and type.
  bool useAnother(unsigned number) {
    std::vector<ValueFacts> facts = *inferFacts(recipe);
    for (unsigned other = 0; other < number; ++other) {
      if (facts[other].shape != facts[number].shape ||
          facts[other].extents != facts[number].extents ||
          facts[other].type != facts[number].type || facts[other].undefined ||
          facts[other].scalar != facts[number].scalar)
        continue;
      Recipe candidate = recipe;
      replaceUses(candidate, number, other);
      if (accept(std::move(candidate)))
        return true;
    }
    return false;
  }

  bool simplifyLayout(unsigned number) {
    for (Layout Step::*which : {&Step::layout, &Step::secondLayout, &Step::pin})
      for (const Layout &layout : simplerLayouts(recipe.steps[number].*which)) {
        Recipe here = recipe, everywhere = recipe;
        here.steps[number].*which = layout;
        // Change the layouts of all values that are carried together.
        for (Step &step : everywhere.steps)
          if (step.layout == recipe.steps[number].*which)
            step.layout = layout;
        if (accept(std::move(here)) || accept(std::move(everywhere)))
          return true;
      }
    return false;
  }

  /// Simplifies the bodies of a step, whose arguments are the last operands of
  /// the step.
  bool simplifyBodies(unsigned number) {
    const Step &step = recipe.steps[number];
    std::vector<ValueFacts> facts = *inferFacts(recipe);
    auto given = static_cast<unsigned>(
        llvm::count_if(step.operands, [&](unsigned operand) {
          return !facts[operand].scalar;
        }));
    for (std::size_t body = 0; body < step.bodies.size(); ++body)
      for (StepBody &less : simplerBodies(step.bodies[body], given)) {
        Recipe candidate = recipe;
        candidate.steps[number].bodies[body] = std::move(less);
        if (accept(std::move(candidate)))
          return true;
      }
    return false;
  }

  /// Puts operands and constants in place of expressions.
  bool simplifyNest(unsigned step) {
    bool changed = false;
    for (std::size_t i = 0;
         step < recipe.steps.size() && i < sizeOf(recipe.steps[step]);)
      if (simplify(step, i))
        changed = true;
      else
        ++i;
    return changed;
  }

  static std::size_t sizeOf(const Step &step) {
    std::size_t size = 0;
    if (step.nest)
      for (const Expr &body : step.nest->bodies)
        body.walk([&](const Expr &) { ++size; });
    return size;
  }

  /// Simplifies the expression of that number in a pre-order walk.
  bool simplify(unsigned step, std::size_t number) {
    auto at = [&](Recipe &in) {
      Expr *found = nullptr;
      std::size_t left = number;
      for (Expr &body : in.steps[step].nest->bodies)
        body.walk([&](Expr &each) {
          if (left-- == 0)
            found = &each;
        });
      return found;
    };
    const Expr expr = *at(recipe);
    std::vector<Expr> simpler;
    for (const Expr &operand : expr.operands)
      if (operand.type == expr.type)
        simpler.push_back(operand);
    if (!expr.operands.empty() || expr.form == Expr::Input)
      for (double value : {0., 1.})
        simpler.push_back(npu::number(expr.type, value));
    if (expr.form == Expr::If) {
      simpler.push_back(expr);
      simpler.back().form = Expr::Select;
    }
    std::size_t steps = recipe.steps.size();
    for (Expr &instead : simpler) {
      Recipe candidate = recipe;
      *at(candidate) = std::move(instead);
      if (accept(std::move(candidate)))
        // Steps may have been dropped, and another one may have this number.
        return recipe.steps.size() == steps;
    }
    return false;
  }

  /// Shortens a run-time prompt.
  bool shorten() {
    for (int64_t length = 2; recipe.prompt && length < recipe.prompt->longest;
         ++length) {
      Recipe candidate = recipe;
      candidate.prompt->longest = length;
      if (accept(std::move(candidate)))
        return true;
    }
    return false;
  }

  bool halveExtents(unsigned number) {
    if (recipe.steps[number].kind != &argumentKind || recipe.prompt)
      return false;
    for (std::size_t dim = 0; dim < recipe.steps[number].numbers.size();
         ++dim) {
      int64_t extent = recipe.steps[number].numbers[dim];
      if (extent < 2)
        continue;
      // Halve the extent in this argument only, or in all arguments with that
      // extent.
      for (bool all : {false, true}) {
        Recipe candidate = recipe;
        for (Step &step : candidate.steps)
          if (step.kind == &argumentKind &&
              (all || &step == &candidate.steps[number]))
            for (std::size_t i = 0; i < step.numbers.size(); ++i)
              if (step.numbers[i] == extent && (all || i == dim))
                step.numbers[i] = (extent + 1) / 2;
        cutBoxes(candidate);
        if (accept(std::move(candidate)))
          return true;
      }
    }
    return false;
  }

  Recipe recipe;
  const std::function<bool(const Recipe &)> &fails;
  unsigned triesLeft;
};

} // namespace

Recipe reduceRecipe(Recipe recipe,
                    const std::function<bool(const Recipe &)> &fails,
                    unsigned mostTries) {
  return Reducer(std::move(recipe), fails, mostTries).run();
}

std::size_t operationCount(const Recipe &recipe) {
  return std::count_if(recipe.steps.begin(), recipe.steps.end(),
                       [](const Step &step) { return !isArgument(step); });
}

} // namespace npu
