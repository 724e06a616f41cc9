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

/// Drops steps that no result needs, and renumbers the others.
void prune(Recipe &recipe) {
  std::vector<bool> needed(recipe.steps.size());
  for (unsigned result : recipe.results)
    needed[result] = true;
  for (std::size_t step = recipe.steps.size(); step-- > 0;)
    if (needed[step])
      for (unsigned operand : recipe.steps[step].operands)
        needed[operand] = true;
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
      changed |= forEachStep(&Reducer::simplifyLayout);
      changed |= forEachStep(&Reducer::halveExtents);
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

  /// Returns one result instead of several, an operand of a result instead of
  /// it, or one result less.
  bool returnLess() {
    std::vector<unsigned> instead;
    if (recipe.results.size() > 1)
      instead = recipe.results;
    std::vector<ValueFacts> facts = *inferFacts(recipe);
    for (unsigned result : recipe.results)
      for (unsigned operand : recipe.steps[result].operands)
        if (!facts[operand].undefined && !facts[operand].scalar)
          instead.push_back(operand);
    for (unsigned result : instead) {
      Recipe candidate = recipe;
      candidate.results = {result};
      if (accept(std::move(candidate)))
        return true;
    }
    for (std::size_t i = 0;
         recipe.results.size() > 1 && i < recipe.results.size(); ++i) {
      Recipe candidate = recipe;
      candidate.results.erase(candidate.results.begin() +
                              static_cast<std::ptrdiff_t>(i));
      if (accept(std::move(candidate)))
        return true;
    }
    return false;
  }

  bool makeArgument(unsigned number) {
    if (isArgument(recipe.steps[number]))
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
    return accept(std::move(candidate));
  }

  /// Replaces a value by an earlier one of the same shape and type.
  bool useAnother(unsigned number) {
    std::vector<ValueFacts> facts = *inferFacts(recipe);
    for (unsigned other = 0; other < number; ++other) {
      if (facts[other].shape != facts[number].shape ||
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

  bool halveExtents(unsigned number) {
    if (recipe.steps[number].kind != &argumentKind)
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
