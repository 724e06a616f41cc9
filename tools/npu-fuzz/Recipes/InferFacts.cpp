// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// Infers the facts of values, and checks the rules that all kinds of steps
// share.

#include "npu-fuzz/Recipes/StepKind.h"

#include <algorithm>
#include <cmath>

namespace npu {
namespace {

bool layoutFits(const ValueFacts &value, const Layout &layout) {
  if (!layout.order.empty() && (layout.order.size() != value.shape.size() ||
                                !isPermutation(layout.order.span())))
    return false;
  return !layout.distribution ||
         (checkDistribution(*layout.distribution) &&
          static_cast<bool>(place(*layout.distribution, value.shape)));
}

/// The largest number up to which the type has every integer.
double countsTo(ElementType type) {
  switch (type) {
  case ElementType::F16:
    return 0x1p11;
  case ElementType::BF16:
    return 0x1p8;
  case ElementType::F32:
    return 0x1p24;
  default:
    return 0x1p53;
  }
}

} // namespace

std::vector<ArgumentDim> promptDims(const Recipe &recipe) {
  std::vector<ArgumentDim> found;
  for (unsigned step = 0; step < recipe.steps.size(); ++step)
    if (recipe.steps[step].kind == &argumentKind)
      for (auto [dim, extent] : llvm::enumerate(recipe.steps[step].extents))
        if (extent.kind == Extent::Prompt)
          found.push_back({step, static_cast<unsigned>(dim)});
  return found;
}

std::optional<ArgumentDim> lastOfSeveral(const Recipe &recipe) {
  std::vector<ArgumentDim> dims = promptDims(recipe);
  return dims.size() > 1 ? std::optional(dims.back()) : std::nullopt;
}

std::optional<std::vector<ValueFacts>> inferFacts(const Recipe &recipe) {
  std::vector<ValueFacts> facts;
  for (const Step &step : recipe.steps) {
    Operands operands;
    for (unsigned operand : step.operands)
      operands.push_back(&facts[operand]);
    auto result = step.kind->infer(step, operands, recipe.exact);
    if (result && !step.extents.empty())
      result->extents = step.extents;
    if (!result || !layoutFits(*result, result->layout) ||
        (result->second &&
         !layoutFits(*result->second, result->second->layout)))
      return std::nullopt;
    // Only a tensor without a layout can be pinned to one.
    if (step.pin != Layout() && (result->scalar || result->layout != Layout() ||
                                 !layoutFits(*result, step.pin)))
      return std::nullopt;
    facts.push_back(std::move(*result));
  }
  return facts;
}

ValueFacts factsWith(const Step &step, Extents shape, ElementType type,
                     double most) {
  ValueFacts facts{type, shape, step.layout, most, false};
  if (type == ElementType::Bool)
    facts.most = 1;
  else if (!isFloat(type)) // wraps around
    facts.most = std::min(
        most, std::ldexp(1.0, static_cast<int>(8 * byteSize(type)) - 1));
  return facts;
}

Extents shapeAt(std::span<const Extent> extents) {
  Extents shape;
  for (const Extent &extent : extents)
    shape.push_back(extent.at(kInferredLength));
  return shape;
}

ValueFacts scalarFacts(ElementType type, double most) {
  ValueFacts facts = factsWith({}, {}, type, most);
  facts.scalar = true;
  return facts;
}

const StepKind &kindNamed(std::span<const StepKind> kinds,
                          std::string_view name) {
  return *llvm::find_if(
      kinds, [&](const StepKind &kind) { return kind.name == name; });
}

bool mayReach(ElementType type, double most, bool exact) {
  if (!isFloat(type))
    return true;
  return exact ? most <= countsTo(type)
               : most <= (type == ElementType::F16 ? 1e4 : 1e30);
}

bool isUnsplit(const ValueFacts &value, std::span<const int64_t> dims) {
  if (!value.layout.distribution)
    return true;
  Result<Placement> placement = place(*value.layout.distribution, value.shape);
  if (!placement)
    return false;
  auto isWhole = [&](const Box &box) {
    return box.isEmpty() ||
           std::all_of(dims.begin(), dims.end(), [&](auto dim) {
             return box[dim] == Range{0, value.shape[dim]};
           });
  };
  return std::all_of(placement->tiles.begin(), placement->tiles.end(),
                     [&](const TileBoxes &tile) {
                       return isWhole(tile.compute) && isWhole(tile.memory);
                     });
}

bool maySumInParts(ElementType type, double terms) {
  return !isFloat(type) || 8 * terms <= countsTo(type);
}

bool sumIsSafe(const ValueFacts &value, std::span<const int64_t> dims,
               bool exact) {
  double terms = 1;
  for (int64_t dim : dims)
    terms *= static_cast<double>(value.shape[dim]);
  return exact || maySumInParts(value.type, terms) || isUnsplit(value, dims);
}

} // namespace npu
