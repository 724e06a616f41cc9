// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception

#include "npu-fuzz/Recipes/RecipeBuilder.h"
#include "npu-fuzz/Recipes/FuzzExtension.h"
#include "npu-fuzz/Recipes/RandomTask.h"
#include "npu-fuzz/Recipes/RepeatLayers.h"

#include <algorithm>

namespace npu {
namespace {

ElementType randomType(RandomNumbers &random, RecipeFor what) {
  if (what == RecipeFor::Tosa) {
    // Nothing lowers what is unsigned, and that is said.
    if (random.oneIn(40))
      return ElementType::U8;
    constexpr ElementType kTypes[] = {
        ElementType::F32,  ElementType::F32, ElementType::F16,
        ElementType::BF16, ElementType::I8,  ElementType::I8,
        ElementType::I16,  ElementType::I32, ElementType::Bool,
    };
    return kTypes[random.below(std::size(kTypes))];
  }
  if (what != RecipeFor::Prompts && random.oneIn(12))
    return ElementType::Bool;
  constexpr ElementType kTypes[] = {
      ElementType::F32, ElementType::F32, ElementType::F32, ElementType::F32,
      ElementType::F32, ElementType::F16, ElementType::F16, ElementType::BF16,
      ElementType::I32, ElementType::I8,  ElementType::F64, ElementType::I16,
  };
  return kTypes[random.below(std::size(kTypes))];
}

std::vector<StepKind>
kindsOf(std::initializer_list<std::span<const StepKind>> families) {
  std::vector<StepKind> all;
  for (std::span<const StepKind> family : families)
    all.insert(all.end(), family.begin(), family.end());
  return all;
}

} // namespace

RecipeBuilder::RecipeBuilder(uint64_t seed, uint64_t number, RecipeFor what)
    : RandomPlacements(seed, number), what(what), forLayers(~seed, ~number - 1),
      type(randomType(*this, what)) {
  recipe.exact = what != RecipeFor::Tosa && below(5) < 2;
  recipe.tosa = what == RecipeFor::Tosa;
  // Use other random numbers, so that all other choices do not depend on this
  // one.
  splitsSums =
      (what == RecipeFor::Functions && RandomNumbers(~seed, number).oneIn(2)) ||
      (what == RecipeFor::Assignments && RandomNumbers(~seed, number).oneIn(3));
  if (what != RecipeFor::Prompts) {
    recipe.parallelTiles = oneIn(2);
    large = recipe.parallelTiles && !recipe.tosa && oneIn(6);
  }
  constexpr int64_t kTiles[] = {1, 2, 3, 4, 4, 4, 4, 5, 6, 8};
  maxTiles = kTiles[below(std::size(kTiles))];
  if (splitsSums)
    maxTiles = std::max<int64_t>(maxTiles, 2);
  // Six of nine cases do not have the rare kinds, so that these cases are the
  // same as without such kinds.
  rare = what != RecipeFor::Prompts && !recipe.tosa && number % 9 >= 6;
  recipe.special = (rare && !exact() && oneIn(2)) || (recipe.tosa && oneIn(3));
  if (recipe.tosa)
    recipe.assign = randomTask(*this);
  if (what == RecipeFor::Assignments) {
    recipe.assign = randomTask(*this);
    if (splitsSums && !RandomNumbers(~seed, ~number).oneIn(3))
      favourSumsInParts(*this, *recipe.assign);
    maxTiles = tilesOf(*recipe.assign);
    pinsOneIn = oneIn(2) ? 0 : between(2, 12);
  }
  for (int64_t count = between(1, 2); count > 0; --count)
    argument(oneIn(30) ? Extents() : argumentShape(), type);
  for (int64_t count = recipe.tosa ? between(3, 12) : between(2, 7); count > 0;
       --count)
    proposeOne();
}

/// A shape for an argument. In large recipes, one dimension is long, so that
/// operations along it run long; in recipes with split sums, one dimension is
/// longer than the number of tiles, because operands would be gathered
/// otherwise.
Extents RecipeBuilder::argumentShape() {
  Extents result = shape();
  // TOSA has no tensors of nothing.
  if (recipe.tosa)
    for (int64_t &extent : result)
      extent = std::max<int64_t>(extent, 1);
  if (large) {
    int64_t &longest = result[below(std::ssize(result))];
    longest = 1;
    longest = between(2000, 30000) /
              std::max<int64_t>(1, Box::whole(result).volume());
  }
  if (splitsSums && !large && !result.empty() &&
      Box::whole(result).volume() <= 60)
    result[below(std::ssize(result))] = between(8, 32);
  return result;
}

void RecipeBuilder::proposeOne() {
  if (recipe.tosa) {
    static const std::vector<StepKind> graphs =
        kindsOf({tosaElementwiseKinds(), tosaShapeKinds(), tosaSumKinds()});
    const StepKind &kind = graphs[below(std::ssize(graphs))];
    return kind.propose(*this, kind);
  }
  static const std::vector<StepKind> kinds =
      kindsOf({sourceKinds(), elementwiseKinds(), elementwiseKinds(),
               contractionKinds(), reductionKinds(), reshapeKinds(),
               sliceKinds().first(2), plainPadKinds(), sliceKinds().last(1),
               layoutKinds()});
  static const std::vector<StepKind> sums =
      kindsOf({contractionKinds(), reductionKinds()});
  static const std::vector<StepKind> more =
      kindsOf({indexedKinds(), pairKinds(), maskKinds(), lookupKinds(),
               controlKinds()});
  static const std::vector<StepKind> rareKinds =
      kindsOf({handingKinds(), switchKinds(), scalarKinds(), countingKinds(),
               bodyTensorKinds(), paddingKinds(), nothingKinds(),
               extremeKinds(), tosaKinds()});
  std::span<const StepKind> third = fuzzExtension().kinds;
  if (!third.empty() && oneIn(2)) {
    const StepKind &kind = third[below(std::ssize(third))];
    return kind.propose(*this, kind);
  }
  if (what == RecipeFor::Assignments && oneIn(3)) {
    const StepKind &kind = blockKinds()[below(std::ssize(blockKinds()))];
    return kind.propose(*this, kind);
  }
  // Recipes with split sums mostly have reductions.
  const std::vector<StepKind> &from =
      rare && oneIn(2)                         ? rareKinds
      : what != RecipeFor::Prompts && oneIn(2) ? more
      : (exact() || splitsSums) && oneIn(3)    ? sums
                                               : kinds;
  const StepKind &kind = from[below(std::ssize(from))];
  kind.propose(*this, kind);
}

/// Repeats some steps, as decoders repeat layers.
void RecipeBuilder::chooseLayers() {
  if (std::optional<Recipe> layers = repeatLayers(recipe, facts, forLayers)) {
    recipe = std::move(*layers);
    facts = *inferFacts(recipe);
  }
}

Recipe RecipeBuilder::take() {
  if (recipe.assign && !recipe.tosa && forLayers.oneIn(4))
    chooseLayers();
  auto mayBeSum = [](const Step &step) {
    if (step.nest)
      return step.nest->usesAccumulator();
    for (auto family : {contractionKinds(), reductionKinds()})
      for (const StepKind &kind : family)
        if (std::string_view(kind.name) == step.kind->name)
          return true;
    return false;
  };
  // Return unused values, at times used ones, and split sums, because a later
  // step like a comparison may hide their errors.
  std::vector<bool> used(facts.size());
  for (const Step &step : recipe.steps)
    for (unsigned operand : step.operands)
      used[operand] = true;
  for (unsigned value = 0; value < facts.size(); ++value)
    if (!facts[value].undefined && (!facts[value].scalar || rare) &&
        !isArgument(recipe.steps[value]) &&
        (!used[value] || oneIn(8) ||
         (splitsSums && mayBeSum(recipe.steps[value]))))
      recipe.results.push_back(value);
  if (recipe.results.empty())
    recipe.results.push_back(0);
  recipe.returnsTwice = rare && oneIn(3);
  if (pinsOneIn > 0)
    choosePins();
  if (recipe.tosa && recipe.assign->device == "described")
    recipe.assign->scratchpadBytes = int64_t(1) << 20;
  if (recipe.assign && !recipe.tosa) {
    int64_t largest = 0;
    for (const ValueFacts &value : facts)
      largest = std::max(largest, Box::whole(value.shape).volume() *
                                      byteSize(value.type));
    chooseScratchpads(*this, largest, *recipe.assign);
    recipe.assign->splitReductions =
        splitsSums && !recipe.special && mayAddUpInParts();
    chooseMemoryOrders(*this, *recipe.assign);
  }
  return std::move(recipe);
}

/// Whether no sum of the recipe's values has so many terms that its type loses
/// some of them in any order.
bool RecipeBuilder::mayAddUpInParts() {
  return exact() || llvm::all_of(facts, [](const ValueFacts &value) {
           return maySumInParts(
               value.type,
               static_cast<double>(Box::whole(value.shape).volume()));
         });
}

/// Asks for layouts of arguments and results that have none.
void RecipeBuilder::choosePins() {
  for (unsigned value = 0; value < facts.size(); ++value)
    if ((recipe.steps[value].kind == &argumentKind ||
         llvm::is_contained(recipe.results, value)) &&
        !facts[value].scalar && facts[value].layout == Layout())
      recipe.steps[value].pin = layout(facts[value].shape);
}

Layout RecipeBuilder::layout(const Extents &shape,
                             std::span<const int64_t> whole) {
  Layout result;
  if (recipe.tosa ||
      (what == RecipeFor::Assignments && (pinsOneIn == 0 || !oneIn(pinsOneIn))))
    return result;
  if (oneIn(4)) {
    result.order = permutation(shape.size());
    if (isIdentity(result.order))
      result.order = {};
  }
  if (oneIn(12))
    return result;
  for (int tries = 0; tries < 20; ++tries) {
    result.distribution = distribution(shape, maxTiles);
    if (isUnsplit({type, shape, result, 0, false}, whole))
      return result;
  }
  result.distribution = Distribution();
  result.distribution->mode = Mode::Duplicated;
  result.distribution->tileCount = between(1, maxTiles);
  return result;
}

Layout RecipeBuilder::layoutLike(const ValueFacts &operand,
                                 const Extents &shape) {
  return operand.shape == shape && oneIn(3) ? operand.layout : layout(shape);
}

std::optional<unsigned> RecipeBuilder::add(Step step) {
  recipe.steps.push_back(std::move(step));
  std::optional<std::vector<ValueFacts>> all = inferFacts(recipe);
  if (!all) {
    recipe.steps.pop_back();
    return std::nullopt;
  }
  facts = std::move(*all);
  return static_cast<unsigned>(facts.size() - 1);
}

std::optional<unsigned> RecipeBuilder::addWithLayout(Step step) {
  Operands operands;
  for (unsigned operand : step.operands)
    operands.push_back(&facts[operand]);
  auto result = step.kind->infer(step, operands, exact());
  if (!result || Box::whole(result->shape).volume() > mostElements())
    return std::nullopt;
  step.layout = operands.empty() ? layout(result->shape)
                                 : layoutLike(*operands[0], result->shape);
  return add(std::move(step));
}

unsigned RecipeBuilder::argument(const Extents &shape, ElementType type,
                                 std::span<const int64_t> whole) {
  Step step{&argumentKind};
  step.numbers.assign(shape.begin(), shape.end());
  step.type = type;
  step.layout = layout(shape, whole);
  return *add(std::move(step));
}

unsigned RecipeBuilder::valueOf(const Extents &shape, ElementType type) {
  auto found = pick([&](const ValueFacts &value) {
    return value.shape == shape && value.type == type;
  });
  return found && !oneIn(4) ? *found : argument(shape, type);
}

unsigned RecipeBuilder::valueLike(const ValueFacts &like) {
  // Copy the facts, because adding steps moves them.
  // NOLINTNEXTLINE(performance-unnecessary-copy-initialization)
  const ValueFacts wanted = like;
  auto found = pick([&](const ValueFacts &value) {
    return value.shape == wanted.shape && value.type == wanted.type &&
           value.layout == wanted.layout;
  });
  if (found && !oneIn(3))
    return *found;
  auto other = pick([&](const ValueFacts &value) {
    return value.shape == wanted.shape && value.type == wanted.type;
  });
  Step step{&redistributeKind, {other.value_or(0)}};
  step.layout = wanted.layout;
  if (other && oneIn(2))
    if (auto moved = add(step))
      return *moved;
  step = {&argumentKind};
  step.numbers.assign(wanted.shape.begin(), wanted.shape.end());
  step.type = wanted.type;
  step.layout = wanted.layout;
  return *add(std::move(step));
}

unsigned RecipeBuilder::scalar(ElementType wanted) {
  for (unsigned value = 0; value < facts.size(); ++value)
    if (facts[value].scalar && facts[value].type == wanted && !oneIn(4))
      return value;
  Step step{&scalarArgumentKind};
  step.type = wanted;
  return *add(std::move(step));
}

std::optional<unsigned> RecipeBuilder::addPair(Step step) {
  std::optional<unsigned> first = add(std::move(step));
  if (first && facts[*first].second && !oneIn(8))
    add({&secondKind, {*first}});
  return first;
}

unsigned RecipeBuilder::summable(unsigned value,
                                 std::span<const int64_t> dims) {
  const ValueFacts summed = facts[value];
  if (splitsSums && !dims.empty() && !oneIn(4)) {
    Step step{&redistributeKind, {value}};
    step.layout = splitAlong(summed.shape, dims);
    ValueFacts split = summed;
    split.layout = step.layout;
    if (sumIsSafe(split, dims, exact()))
      if (auto moved = add(std::move(step)))
        return *moved;
  }
  if (exact() || !isFloat(summed.type) || isUnsplit(summed, dims) ||
      (splitsSums && sumIsSafe(summed, dims, exact())))
    return value;
  Step step{&redistributeKind, {value}};
  step.layout = layout(facts[value].shape, dims);
  return *add(std::move(step));
}

/// A layout that splits the first dimension of `dims`. Operands of one
/// contraction get equal splits.
Layout RecipeBuilder::splitAlong(const Extents &shape,
                                 std::span<const int64_t> dims) const {
  int64_t longest =
      *std::max_element(dims.begin(), dims.end(), [&](int64_t a, int64_t b) {
        return shape[a] < shape[b];
      });
  Layout layout;
  layout.distribution.emplace();
  layout.distribution->mode = Mode::Segmented;
  layout.distribution->tiles = Extents(shape.size(), 1);
  layout.distribution->tiles[longest] =
      std::max<int64_t>(1, std::min(maxTiles, shape[longest] / 2));
  return layout;
}

Recipe randomRecipe(uint64_t seed, uint64_t number, RecipeFor what) {
  return RecipeBuilder(seed, number, what).take();
}

} // namespace npu
