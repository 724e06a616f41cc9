// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// Makes up functions to be padded: chains of regions over one, two or three
// loops whose extents are the prompt's length or follow from it.

#include "npu-fuzz/Bodies/StepMaker.h"
#include "npu-fuzz/Recipes/ReduceRecipe.h"

#include <algorithm>

namespace npu {
namespace {

constexpr Extent kPrompt = {Extent::Prompt};

class PromptMaker {
public:
  PromptMaker(uint64_t seed, uint64_t number)
      : builder(seed ^ 0x626f64696573, number), random(builder),
        recipe(builder.made()), maker(builder), rare(number % 9 == 7),
        atEdges(number % 9 == 4) {}

  Recipe make() {
    recipe.prompt.emplace().longest = random.between(3, 8);
    fixed = {Extent::Fixed, random.between(1, 4)};
    main = mainType();
    maker.setTheme(main);
    // The function takes the prompt's length from its first argument, so that
    // this one is only asked for its size, or not even that.
    if (atEdges && random.oneIn(2))
      keepArgument();
    addArguments();
    if (atEdges && random.oneIn(2))
      keepArgument();
    int64_t steps = random.between(1, 4);
    for (int64_t i = 0; i < steps; ++i)
      addStep();
    unsigned last = latest();
    if (!random.oneIn(8) || isArgument(recipe.steps[last]))
      last = maker.reduced(last);
    recipe.results = {last};
    unsigned other = random.below(std::ssize(recipe.steps));
    if (random.oneIn(4) && other != last &&
        recipe.steps[other].kind != &tableKind)
      recipe.results.push_back(other);
    if (atEdges)
      addEdges();
    prune(recipe);
    return std::move(recipe);
  }

private:
  ElementType mainType() {
    const ElementType all[] = {
        ElementType::F32,  ElementType::F32, ElementType::F32, ElementType::F32,
        ElementType::F32,  ElementType::F32, ElementType::I32, ElementType::I32,
        ElementType::I32,  ElementType::F16, ElementType::F64, ElementType::I8,
        ElementType::Bool, ElementType::I64};
    return all[random.below(std::size(all))];
  }

  std::vector<Extent> shape() {
    switch (random.below(10)) {
    case 0:
    case 1:
      return {kPrompt};
    case 2:
    case 3:
    case 4:
    case 5:
    case 9:
      return {kPrompt, kPrompt};
    case 6:
      return {kPrompt, fixed};
    case 7:
      return {fixed, kPrompt};
    default:
      switch (random.below(5)) {
      case 0:
        return {fixed, kPrompt, kPrompt};
      case 1:
        return {extent(), kPrompt};
      case 2:
        return {kPrompt, extent()};
      default:
        return {extent()};
      }
    }
  }

  /// A random extent that follows from the prompt's length.
  Extent extent() {
    Extent extent;
    extent.kind = static_cast<Extent::Kind>(
        // What is no expression of the length stays dynamic, which
        // npu-compile refuses.
        random.between(Extent::Falling,
                       atEdges ? Extent::Remainder : Extent::AtMost));
    extent.number = extent.kind == Extent::Falling
                        ? recipe.prompt->longest + random.between(0, 9)
                    : extent.kind == Extent::Longer ? random.between(1, 4)
                                                    : random.between(2, 5);
    extent.byAffine = random.oneIn(3);
    return extent;
  }

  /// Whether the shape has extents that follow from the length, which arguments
  /// cannot have.
  static bool follows(const std::vector<Extent> &shape) {
    return std::any_of(shape.begin(), shape.end(), [](const Extent &each) {
      return each.kind > Extent::Prompt;
    });
  }

  void addArguments() {
    std::vector<Extent> first = shape();
    while (follows(first))
      first = shape();
    maker.argument(main, first);
    int64_t others = random.below(3);
    for (int64_t i = 0; i < others; ++i) {
      std::vector<Extent> next = shape();
      if (random.oneIn(4))
        next = {fixed};
      if (follows(next))
        next = {kPrompt};
      const ElementType types[] = {
          main, main, ElementType::F32, ElementType::I32, ElementType::Bool,
          main};
      maker.argument(types[random.below(std::size(types))], next);
    }
    if (random.oneIn(4))
      maker.table(main);
  }

  /// Adds an argument that nothing has to read.
  void keepArgument() {
    std::vector<Extent> next = shape();
    while (follows(next))
      next = shape();
    if (std::find(next.begin(), next.end(), kPrompt) == next.end())
      next = {kPrompt};
    const ElementType types[] = {main, ElementType::Bool, ElementType::I64};
    unsigned made = maker.argument(types[random.below(std::size(types))], next);
    recipe.steps[made].isKept = true;
  }

  /// Lets the function return arguments and concatenations on both sides, and
  /// says what is to become of it.
  void addEdges() {
    for (unsigned step = 0; step < recipe.steps.size(); ++step)
      if (isArgument(recipe.steps[step]) && random.oneIn(4))
        recipe.results.push_back(step);
    for (int64_t i = random.below(3); i > 0; --i)
      if (concat(random.below(std::ssize(recipe.steps))))
        recipe.results.push_back(latest());
    const LastExtent extents[] = {LastExtent::Same, LastExtent::Same,
                                  LastExtent::Same, LastExtent::Longer,
                                  LastExtent::Named};
    recipe.prompt->lastExtent = extents[random.below(std::size(extents))];
    recipe.prompt->isCompiled = random.oneIn(2);
  }

  unsigned latest() const { return recipe.steps.size() - 1; }

  /// A value to work on: mostly the latest one.
  unsigned source() {
    unsigned found = latest();
    if (random.oneIn(3))
      found = random.below(std::ssize(recipe.steps));
    return found;
  }

  void addStep() {
    unsigned from = source();
    const Step &step = recipe.steps[from];
    switch (rare ? random.below(5) : 4) {
    case 0:
      maker.mapByReduction(main, shape());
      return;
    case 1:
      maker.takeSlice(from);
      return;
    case 2:
      maker.putSlice(from);
      return;
    case 3:
      maker.sumOfGuarded();
      return;
    default:
      break;
    }
    switch (random.below(15)) {
    case 0:
    case 1:
    case 2:
    case 12:
      maker.masked(from);
      return;
    case 3:
    case 4:
    case 13:
    case 14:
      if (isFloat(step.type) && !step.extents.empty() &&
          step.kind != &tableKind) {
        maker.softmaxInParts(from);
        return;
      }
      maker.masked(from);
      return;
    case 5:
    case 6:
      maker.constantByDetour(main, shape());
      return;
    case 7:
      maker.map(main, {extent()});
      return;
    case 8:
      if (!step.extents.empty()) {
        maker.reduced(from);
        return;
      }
      break;
    case 9:
      if (concat(from))
        return;
      break;
    default:
      break;
    }
    ElementType type = random.oneIn(8) ? ElementType::Bool : main;
    maker.map(type, shape());
  }

  /// Adds a concatenation of `from` with a few entries that do not belong to
  /// the prompt, before or after it.
  bool concat(unsigned from) {
    const Step step = recipe.steps[from];
    int64_t dim = 0;
    while (dim < std::ssize(step.extents) && !(step.extents[dim] == kPrompt))
      ++dim;
    if (dim == std::ssize(step.extents) || step.type == ElementType::Bool)
      return false;
    std::vector<Extent> others = step.extents;
    others[dim] = {Extent::Fixed, random.between(1, 3)};
    // The other part is an argument, which cannot have extents that follow from
    // the prompt.
    if (follows(others))
      return false;
    unsigned more = maker.argument(step.type, others);
    Step joined{&kindNamed(sliceKinds(), "concat"), {from, more}, {dim}};
    joined.type = step.type;
    joined.extents = step.extents;
    joined.extents[dim] = {Extent::Longer, others[dim].number};
    if (random.oneIn(2))
      std::swap(joined.operands[0], joined.operands[1]);
    maker.add(std::move(joined));
    return true;
  }

  RecipeBuilder builder;
  RandomNumbers &random;
  Recipe &recipe;
  StepMaker maker;
  /// Whether most steps are rare ones. Only a share of the
  /// cases has them, so that the other cases stay the same.
  bool rare;
  /// Whether the function has arguments that it does not compute with, returns
  /// such, and returns concatenations; again a share of the cases alone.
  bool atEdges;
  Extent fixed;
  ElementType main = ElementType::F32;
};

} // namespace

Recipe randomPromptBodies(uint64_t seed, uint64_t number) {
  return PromptMaker(seed, number).make();
}

} // namespace npu
