// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// A recipe while it is being made up, and its dice.

#ifndef NPU_FUZZ_RECIPES_RECIPEBUILDER_H
#define NPU_FUZZ_RECIPES_RECIPEBUILDER_H

#include "npu/Fuzz/Plans/RandomPlacements.h"
#include "npu/Fuzz/Recipes/StepKind.h"

namespace npu {

class RecipeBuilder : public RandomPlacements {
public:
  RecipeBuilder(uint64_t seed, uint64_t number, RecipeFor what);

  Recipe take();

  bool exact() const { return recipe.exact; }
  const ValueFacts &operator[](unsigned value) const { return facts[value]; }

  /// One of the values that the predicate likes.
  template <typename Predicate>
  std::optional<unsigned> pick(Predicate likes) {
    std::vector<unsigned> found;
    for (unsigned value = 0; value < facts.size(); ++value)
      if (!facts[value].undefined && !facts[value].scalar &&
          likes(facts[value]))
        found.push_back(value);
    if (found.empty())
      return std::nullopt;
    return found[below(static_cast<int64_t>(found.size()))];
  }
  std::optional<unsigned> pick() {
    return pick([](const ValueFacts &) { return true; });
  }
  /// One of the values that have dimensions.
  std::optional<unsigned> pickRanked() {
    return pick([](const ValueFacts &value) { return !value.shape.empty(); });
  }
  /// One of those that have dimensions and entries.
  std::optional<unsigned> pickFilled() {
    return pick([](const ValueFacts &value) {
      return !value.shape.empty() && Box::whole(value.shape).volume() > 0;
    });
  }

  /// Some of `rank` dimensions in their order, at least one. Precondition:
  /// `rank` is not 0.
  std::vector<int64_t> someDims(int64_t rank) {
    int64_t certain = below(rank);
    std::vector<int64_t> dims;
    for (int64_t dim = 0; dim < rank; ++dim)
      if (dim == certain || oneIn(4))
        dims.push_back(dim);
    return dims;
  }

  /// Any layout that fits, of none to eight tiles; the listed dimensions stay
  /// whole on every tile.
  Layout layout(const Extents &shape, std::span<const int64_t> whole = {});
  /// Of a result: now and then the layout of an operand of that shape.
  Layout layoutLike(const ValueFacts &operand, const Extents &shape);

  /// Appends the step if it is legal; its value.
  std::optional<unsigned> add(Step step);
  /// Appends the step with a layout for the shape that it comes out with.
  std::optional<unsigned> addWithLayout(Step step);

  unsigned argument(const Extents &shape, ElementType type,
                    std::span<const int64_t> whole = {});
  /// A value of that shape and type: one that there is, or an argument.
  unsigned valueOf(const Extents &shape, ElementType type);
  /// The same with that layout, too.
  unsigned valueLike(const ValueFacts &facts);
  /// An i1 that is no tensor.
  unsigned flag() { return scalar(ElementType::Bool); }
  /// One that there is, or an argument.
  unsigned scalar(ElementType type);
  /// Appends the step, which makes two values, and, mostly, the other one's.
  std::optional<unsigned> addPair(Step step);
  /// The value as a sum over these dimensions takes it: itself where tiles may
  /// share that sum, else with them whole on every tile, redistributed where
  /// they are not.
  unsigned summable(unsigned value, std::span<const int64_t> dims);

  ElementType mainType() const { return type; }
  /// Inputs have infinities and NaN among them.
  bool special() const { return recipe.special; }
  /// Layouts split what sums run over, so that should be long enough.
  bool wantsSharedSums() const { return splitsSums; }

private:
  void proposeOne();
  Extents argumentShape();
  Layout splitAlong(const Extents &shape, std::span<const int64_t> dims) const;

  Recipe recipe;
  std::vector<ValueFacts> facts;
  RecipeFor what;
  ElementType type;
  int64_t maxTiles;
  /// Half of the steps are of the kinds that only these recipes have.
  bool rare = false;
  /// Float sums run over what layouts split.
  bool splitsSums = false;
  /// Operations take long enough to be under way at the same time.
  bool large = false;
};

} // namespace npu

#endif // NPU_FUZZ_RECIPES_RECIPEBUILDER_H
