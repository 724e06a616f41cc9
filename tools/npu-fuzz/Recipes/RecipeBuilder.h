// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// A recipe while it is being made up, together with its random numbers.

#ifndef NPU_FUZZ_RECIPES_RECIPEBUILDER_H
#define NPU_FUZZ_RECIPES_RECIPEBUILDER_H

#include "npu-fuzz/Plans/RandomPlacements.h"
#include "npu-fuzz/Recipes/StepKind.h"

namespace npu {

class RecipeBuilder : public RandomPlacements {
public:
  RecipeBuilder(uint64_t seed, uint64_t number, RecipeFor what);

  /// An empty recipe, for steps that the caller adds.
  RecipeBuilder(uint64_t seed, uint64_t number)
      : RandomPlacements(seed, number), what(RecipeFor::Prompts),
        forLayers(0, 0) {}

  Recipe take();
  Recipe &made() { return recipe; }

  bool exact() const { return recipe.exact; }
  const ValueFacts &operator[](unsigned value) const { return facts[value]; }

  /// One of the readable tensors for which the predicate holds.
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
  /// One of the tensors that have dimensions.
  std::optional<unsigned> pickRanked() {
    return pick([](const ValueFacts &value) { return !value.shape.empty(); });
  }
  /// One of the tensors that have dimensions and are not empty.
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

  /// A random layout that fits the shape, of none to eight tiles; the
  /// dimensions in `whole` are not split. Where layouts are to be assigned, it
  /// is mostly none.
  Layout layout(const Extents &shape, std::span<const int64_t> whole = {});
  /// A layout for a result: at times the layout of an operand of that shape.
  Layout layoutLike(const ValueFacts &operand, const Extents &shape);

  /// Appends the step if it is legal, and gives its value.
  std::optional<unsigned> add(Step step);
  /// Appends the step with a random layout for the shape that it has.
  std::optional<unsigned> addWithLayout(Step step);

  unsigned argument(const Extents &shape, ElementType type,
                    std::span<const int64_t> whole = {});
  /// A value of that shape and type: one that exists, or a new argument.
  unsigned valueOf(const Extents &shape, ElementType type);
  /// A value of that shape, type and layout: one that exists, or a new
  /// argument.
  unsigned valueLike(const ValueFacts &facts);
  /// A scalar i1: one that exists, or a new argument.
  unsigned flag() { return scalar(ElementType::Bool); }
  /// A scalar of that type: one that exists, or a new argument.
  unsigned scalar(ElementType type);
  /// Appends a step that makes two values, and, mostly, the step of the second
  /// value.
  std::optional<unsigned> addPair(Step step);
  /// The value in a form that a sum over these dimensions can take: the value
  /// itself where tiles may share that sum or do not split these dimensions,
  /// else redistributed.
  unsigned summable(unsigned value, std::span<const int64_t> dims);

  ElementType mainType() const { return type; }
  /// Whether inputs have infinities and NaN among them.
  bool special() const { return recipe.special; }
  /// Whether layouts split the dimensions that sums run over, which should be
  /// long enough for that.
  bool wantsSharedSums() const { return splitsSums; }

private:
  /// The elements of the largest value that a step may make.
  int64_t mostElements() const {
    return large ? 60000 : what == RecipeFor::Assignments ? 20000 : 2000;
  }
  void proposeOne();
  Extents argumentShape();
  void choosePins();
  bool mayAddUpInParts();
  void chooseLayers();
  Layout splitAlong(const Extents &shape, std::span<const int64_t> dims) const;

  Recipe recipe;
  std::vector<ValueFacts> facts;
  RecipeFor what;
  /// Other random numbers, so that no other choice depends on these.
  RandomNumbers forLayers;
  ElementType type = ElementType::F32;
  int64_t maxTiles = 1;
  /// Half of the steps are of the kinds that only such recipes have
  /// (handingKinds).
  bool rare = false;
  /// One of so many layouts that could be there is, where layouts are to be
  /// assigned; 0: none is.
  int64_t pinsOneIn = 0;
  /// Float sums run over dimensions that layouts split.
  bool splitsSums = false;
  /// Operations take long enough to be under way at the same time.
  bool large = false;
};

} // namespace npu

#endif // NPU_FUZZ_RECIPES_RECIPEBUILDER_H
