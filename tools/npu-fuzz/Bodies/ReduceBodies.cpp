// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// Reduces recipes greedily, like ReduceRecipe. Every change keeps types, and
// the writer keeps operations from trapping, so that each result is a legal
// recipe.

#include "npu-fuzz/Bodies/BodyCase.h"

#include <algorithm>

namespace npu {
namespace {

bool isArgument(const BodyStep &step) {
  return step.kind == BodyStep::Argument || step.kind == BodyStep::Cache;
}

class Reducer {
public:
  Reducer(BodyRecipe recipe,
          const std::function<bool(const BodyRecipe &)> &fails,
          unsigned mostTries)
      : recipe(std::move(recipe)), fails(fails), triesLeft(mostTries) {}

  BodyRecipe run() {
    bool changed = true;
    while (changed && triesLeft > 0) {
      changed = returnLess();
      for (std::size_t i = recipe.steps.size(); i-- > 0;) {
        if (i >= recipe.steps.size())
          continue;
        changed |= makeArgument(i);
        if (i < recipe.steps.size() &&
            recipe.steps[i].kind == BodyStep::Generic)
          changed |= simplifyBody(i);
      }
      changed |= shorten();
    }
    return std::move(recipe);
  }

private:
  bool accept(BodyRecipe candidate) {
    if (triesLeft == 0)
      return false;
    --triesLeft;
    prune(candidate);
    if (!fails(candidate))
      return false;
    recipe = std::move(candidate);
    return true;
  }

  bool returnLess() {
    bool changed = false;
    // A function to be run in chunks has to return every cache.
    for (std::size_t i = recipe.results.size();
         !recipe.prefill && i-- > 0 && recipe.results.size() > 1;) {
      BodyRecipe candidate = recipe;
      candidate.results.erase(candidate.results.begin() + i);
      changed |= accept(std::move(candidate));
    }
    // Return an input of a result instead of the result.
    for (std::size_t i = 0; i < recipe.results.size(); ++i) {
      const BodyStep &made = recipe.steps[recipe.results[i]];
      if (made.kind == BodyStep::IntoCache)
        continue;
      for (const BodyInput &input : made.inputs) {
        BodyRecipe candidate = recipe;
        candidate.results[i] = input.step;
        if (accept(std::move(candidate)))
          return true;
      }
    }
    return changed;
  }

  bool makeArgument(std::size_t number) {
    const BodyStep &step = recipe.steps[number];
    bool canBe = std::all_of(step.shape.begin(), step.shape.end(),
                             [](const BodyExtent &extent) {
                               return extent.kind <= BodyExtent::Prompt;
                             });
    if (isArgument(step) || step.kind == BodyStep::IntoCache || !canBe)
      return false;
    BodyRecipe candidate = recipe;
    BodyStep argument;
    argument.type = step.type;
    argument.shape = step.shape;
    candidate.steps[number] = std::move(argument);
    return accept(std::move(candidate));
  }

  /// The expression of that number in a pre-order walk.
  static BodyExpr &at(BodyExpr &root, std::size_t number) {
    BodyExpr *found = nullptr;
    root.walk([&](BodyExpr &each) {
      if (number-- == 0)
        found = &each;
    });
    return *found;
  }

  static std::size_t sizeOf(const BodyExpr &root) {
    std::size_t size = 0;
    root.walk([&](const BodyExpr &) { ++size; });
    return size;
  }

  bool simplifyBody(std::size_t step) {
    bool changed = false;
    for (std::size_t i = 0;
         step < recipe.steps.size() && i < sizeOf(recipe.steps[step].body);)
      if (simplify(step, i))
        changed = true;
      else
        ++i;
    return changed;
  }

  bool simplify(std::size_t step, std::size_t number) {
    const BodyExpr expr = at(recipe.steps[step].body, number);
    std::vector<BodyExpr> simpler;
    for (const BodyExpr &operand : expr.operands)
      if (operand.type == expr.type)
        simpler.push_back(operand);
    bool isLeaf = expr.operands.empty();
    if (!isLeaf || expr.form == BodyExpr::Input) {
      BodyExpr zero, one;
      zero.type = one.type = expr.type;
      one.value = 1;
      one.number = 1;
      simpler.push_back(zero);
      simpler.push_back(one);
    }
    if (expr.form == BodyExpr::If) {
      simpler.push_back(expr);
      simpler.back().form = BodyExpr::Select;
    }
    std::size_t steps = recipe.steps.size();
    for (BodyExpr &instead : simpler) {
      BodyRecipe candidate = recipe;
      at(candidate.steps[step].body, number) = instead;
      if (accept(std::move(candidate)))
        // Steps may have been dropped, and another one may have this number.
        return recipe.steps.size() == steps;
    }
    return false;
  }

  bool shorten() {
    for (int64_t length = 2; length < recipe.longest; ++length) {
      BodyRecipe candidate = recipe;
      candidate.longest = length;
      if (accept(std::move(candidate)))
        return true;
    }
    return false;
  }

  BodyRecipe recipe;
  const std::function<bool(const BodyRecipe &)> &fails;
  unsigned triesLeft;
};

} // namespace

BodyRecipe reduceBodies(BodyRecipe recipe,
                        const std::function<bool(const BodyRecipe &)> &fails,
                        unsigned mostTries) {
  return Reducer(std::move(recipe), fails, mostTries).run();
}

std::size_t operationCount(const BodyRecipe &recipe) {
  return std::count_if(recipe.steps.begin(), recipe.steps.end(),
                       [](const BodyStep &step) { return !isArgument(step); });
}

} // namespace npu
