// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception

#include "npu-fuzz/Recipes/RepeatLayers.h"
#include "npu-fuzz/Recipes/StepKind.h"

namespace npu {
namespace {

/// The steps after `before` up to `last` make a value of the type that
/// `before` has.
struct Layer {
  unsigned before = 0;
  unsigned last = 0;
};

bool areAlike(const ValueFacts &a, const ValueFacts &b) {
  return !a.scalar && !b.scalar && !a.undefined && !b.undefined &&
         a.type == b.type && a.shape == b.shape;
}

std::vector<Layer> layersOf(const Recipe &recipe,
                            const std::vector<ValueFacts> &facts) {
  // An operation's second value stays with its first one.
  auto isSecond = [&](unsigned value) {
    return value < recipe.steps.size() &&
           recipe.steps[value].kind == &secondKind;
  };
  std::vector<Layer> layers;
  for (unsigned before = 0; before < facts.size(); ++before)
    for (unsigned last = before + 2; last < facts.size(); ++last)
      if (areAlike(facts[before], facts[last]) && !isSecond(before + 1) &&
          !isSecond(last + 1) && !recipe.steps[last].operands.empty())
        layers.push_back({before, last});
  return layers;
}

Recipe repeated(const Recipe &recipe, Layer layer, unsigned count) {
  unsigned length = layer.last - layer.before;
  Recipe made = recipe;
  made.steps.assign(recipe.steps.begin(),
                    recipe.steps.begin() + layer.last + 1);
  for (unsigned copy = 1; copy < count; ++copy)
    for (unsigned value = layer.before + 1; value <= layer.last; ++value) {
      Step step = recipe.steps[value];
      for (unsigned &operand : step.operands)
        if (operand > layer.before)
          operand += copy * length;
        else if (operand == layer.before)
          operand = layer.last + (copy - 1) * length;
      made.steps.push_back(std::move(step));
    }
  // What follows reads the last layer.
  for (unsigned value = layer.last + 1; value < recipe.steps.size(); ++value) {
    Step step = recipe.steps[value];
    for (unsigned &operand : step.operands)
      if (operand > layer.before)
        operand += (count - 1) * length;
    made.steps.push_back(std::move(step));
  }
  return made;
}

} // namespace

std::optional<Recipe> repeatLayers(const Recipe &recipe,
                                   const std::vector<ValueFacts> &facts,
                                   RandomNumbers &random) {
  std::vector<Layer> layers = layersOf(recipe, facts);
  random.shuffle(layers);
  constexpr size_t kTried = 8;
  if (layers.size() > kTried)
    layers.resize(kTried);
  auto count = static_cast<unsigned>(random.between(4, 7));
  for (Layer layer : layers)
    if (Recipe made = repeated(recipe, layer, count); inferFacts(made))
      return made;
  return std::nullopt;
}

} // namespace npu
