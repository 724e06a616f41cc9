// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// Finds which extents follow from a prompt length by inferring the recipe at
// several lengths: where it is legal at all of them, the extents that change
// follow from the length.

#include "npu-fuzz/Recipes/RunTimeLength.h"

#include "npu-fuzz/Recipes/StepKind.h"

#include <algorithm>
#include <random>
#include <string_view>

namespace npu {
namespace {

bool isCalled(const StepKind &kind, std::string_view name) {
  return kind.name == name;
}

bool onlyMoves(const StepKind &kind) {
  return llvm::any_of(layoutKinds(), [&](const StepKind &move) {
    return isCalled(kind, move.name);
  });
}

/// The recipe without layouts: a permute_cast becomes a transpose, and steps
/// that only move are dropped.
std::optional<Recipe> withoutLayouts(const Recipe &recipe) {
  std::optional<std::vector<ValueFacts>> facts = inferFacts(recipe);
  if (!facts)
    return std::nullopt;
  const StepKind &transpose = *llvm::find_if(
      reshapeKinds(), [](auto &kind) { return isCalled(kind, "transpose"); });
  Recipe plain;
  plain.exact = recipe.exact;
  std::vector<unsigned> number;
  for (const Step &original : recipe.steps) {
    if (onlyMoves(*original.kind)) {
      number.push_back(number[original.operands[0]]);
      continue;
    }
    Step step = original;
    if (isCalled(*step.kind, "permute_cast")) {
      Permutation dims = castDimensions(
          (*facts)[step.operands[0]].layout.order,
          Permutation(std::span(original.numbers)), original.layout.order);
      step.kind = &transpose;
      step.numbers.assign(dims.begin(), dims.end());
    }
    step.layout = {};
    for (unsigned &operand : step.operands)
      operand = number[operand];
    number.push_back(plain.steps.size());
    plain.steps.push_back(std::move(step));
  }
  for (unsigned result : recipe.results)
    plain.results.push_back(number[result]);
  return plain;
}

/// The place of a number of a step.
struct Place {
  unsigned step, number;
};

class LengthFinder {
public:
  LengthFinder(Recipe plain, uint64_t seed)
      : plain(std::move(plain)), random(seed) {}

  std::optional<RunTimeLength> find() {
    std::optional<std::vector<ValueFacts>> facts = inferFacts(plain);
    if (!facts)
      return std::nullopt;
    before = std::move(*facts);
    for (int tries = 0; tries < 8; ++tries)
      if (choosePlaces())
        if (auto found = atAllLengths())
          return found;
    return std::nullopt;
  }

private:
  int64_t below(int64_t count) {
    return static_cast<int64_t>(random() % static_cast<uint64_t>(count));
  }

  /// The places of the extents that a step has as numbers.
  std::vector<Place> extentsIn(unsigned number) const {
    const Step &step = plain.steps[number];
    std::vector<Place> found;
    if (isCalled(*step.kind, "broadcast"))
      return {{number, 1}};
    if (!step.operands.empty() || isCalled(*step.kind, "dense"))
      return found;
    for (unsigned i = isCalled(*step.kind, "iota"); i < step.numbers.size();
         ++i)
      found.push_back({number, i});
    return found;
  }

  /// Chooses a dimension of an argument, and most other dimensions of its
  /// extent.
  bool choosePlaces() {
    std::vector<Place> all, ofArguments;
    for (unsigned step = 0; step < plain.steps.size(); ++step)
      for (Place place : extentsIn(step)) {
        all.push_back(place);
        if (plain.steps[step].kind == &argumentKind)
          ofArguments.push_back(place);
      }
    if (ofArguments.empty())
      return false;
    Place first = ofArguments[below(std::ssize(ofArguments))];
    int64_t extent = numberAt(first);
    bool everywhere = below(2) == 0;
    places = {first};
    for (Place place : all)
      if (numberAt(place) == extent && (everywhere || below(3) != 0))
        places.push_back(place);
    return extent > 0;
  }

  int64_t numberAt(Place place) const {
    return plain.steps[place.step].numbers[place.number];
  }

  /// The facts of the recipe at that length, and the recipe itself in `longer`.
  std::optional<std::vector<ValueFacts>> at(int64_t length,
                                            Recipe &longer) const {
    longer = plain;
    for (Place place : places)
      longer.steps[place.step].numbers[place.number] = length;
    std::vector<ValueFacts> now;
    for (Step &step : longer.steps) {
      Operands was, is;
      for (unsigned operand : step.operands) {
        was.push_back(&before[operand]);
        is.push_back(&now[operand]);
      }
      if (step.kind->follow)
        step.kind->follow(step, was, is);
      auto result = step.kind->infer(step, is, plain.exact);
      if (!result)
        return std::nullopt;
      now.push_back(std::move(*result));
    }
    return now;
  }

  std::optional<RunTimeLength> atAllLengths() {
    RunTimeLength found;
    found.longest = 3 + below(11);
    auto most = at(found.longest, found.recipe);
    if (!most)
      return std::nullopt;
    found.shortest = found.longest;
    std::vector<Extents> perToken;
    for (Recipe other; found.shortest > 1; --found.shortest) {
      auto facts = at(found.shortest - 1, other);
      if (!facts)
        break;
      int64_t fewer = found.longest - (found.shortest - 1);
      std::vector<Extents> growth = difference(*most, *facts);
      if (fewer == 1)
        perToken = growth;
      else if (!isMultiple(growth, fewer, perToken))
        break;
    }
    // Between only two lengths, every extent is linear.
    if (found.longest - found.shortest < 2)
      return std::nullopt;
    for (std::size_t step = 0; step < perToken.size(); ++step)
      for (auto [extent, growth] :
           llvm::zip((*most)[step].shape, perToken[step]))
        found.recipe.steps[step].extents.push_back(
            linearIn(growth, extent - growth * found.longest));
    return found;
  }

  static Extent linearIn(int64_t factor, int64_t number) {
    if (factor == 0)
      return {Extent::Fixed, number};
    if (factor == 1 && number == 0)
      return {Extent::Prompt};
    return {Extent::Linear, number, false, factor};
  }

  static std::vector<Extents> difference(const std::vector<ValueFacts> &more,
                                         const std::vector<ValueFacts> &less) {
    std::vector<Extents> result;
    for (std::size_t step = 0; step < more.size(); ++step) {
      result.push_back(more[step].shape);
      for (std::size_t dim = 0; dim < more[step].shape.size(); ++dim)
        result.back()[dim] -= less[step].shape[dim];
    }
    return result;
  }

  static bool isMultiple(const std::vector<Extents> &all, int64_t factor,
                         const std::vector<Extents> &one) {
    for (auto [many, single] : llvm::zip(all, one))
      for (auto [extent, part] : llvm::zip(many, single))
        if (extent != factor * part)
          return false;
    return true;
  }

  Recipe plain;
  std::vector<ValueFacts> before;
  std::vector<Place> places;
  std::mt19937_64 random;
};

} // namespace

std::optional<RunTimeLength> withRunTimeLength(const Recipe &recipe,
                                               uint64_t seed) {
  std::optional<Recipe> plain = withoutLayouts(recipe);
  if (!plain)
    return std::nullopt;
  return LengthFinder(std::move(*plain), seed).find();
}

} // namespace npu
