// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception

#include "npu-fuzz/Bodies/BodyRecipe.h"

#include <algorithm>

namespace npu {

const char *nameOf(BodyType type) {
  constexpr const char *kNames[] = {"f16", "f32", "f64", "i1",
                                    "i8",  "i32", "i64", "index"};
  return kNames[static_cast<int>(type)];
}

unsigned bitsOf(BodyType type) {
  switch (type) {
  case BodyType::I1:
    return 1;
  case BodyType::I8:
    return 8;
  case BodyType::I32:
    return 32;
  default:
    return 64;
  }
}

int64_t BodyExtent::at(int64_t length) const {
  switch (kind) {
  case Fixed:
    return number;
  case Prompt:
    return length;
  case Falling:
    return number - length;
  case Multiple:
    return number * length;
  case Longer:
    return length + number;
  case Quotient:
    return length / number;
  case Remainder:
    return length % number;
  case AtLeast:
    return std::max(length, number);
  case AtMost:
    return std::min(length, number);
  }
  return 0;
}

bool BodyExpr::uses(Form wanted) const {
  bool found = false;
  walk([&](const BodyExpr &each) { found |= each.form == wanted; });
  return found;
}

/// Drops inputs that no expression uses, and renumbers the others. The input
/// that an output begins as is not used by the region.
static void pruneInputs(BodyStep &step) {
  if (step.kind != BodyStep::Generic)
    return;
  if (step.beginsAsInput && !step.body.uses(BodyExpr::Accumulator)) {
    step.inputs.pop_back();
    step.beginsAsInput = false;
  }
  std::size_t count = step.inputs.size() - step.beginsAsInput;
  std::vector<bool> needed(count);
  step.body.walk([&](const BodyExpr &expr) {
    if (expr.form == BodyExpr::Input)
      needed[expr.number] = true;
  });
  std::vector<int64_t> number(count);
  std::vector<BodyInput> kept;
  for (std::size_t i = 0; i < count; ++i) {
    number[i] = kept.size();
    if (needed[i])
      kept.push_back(step.inputs[i]);
  }
  if (step.beginsAsInput)
    kept.push_back(step.inputs.back());
  step.inputs = std::move(kept);
  step.body.walk([&](BodyExpr &expr) {
    if (expr.form == BodyExpr::Input)
      expr.number = number[expr.number];
  });
}

static bool hasPromptLength(const BodyStep &step) {
  return step.kind == BodyStep::Argument &&
         std::any_of(step.shape.begin(), step.shape.end(),
                     [](const BodyExtent &extent) {
                       return extent.kind == BodyExtent::Prompt;
                     });
}

void prune(BodyRecipe &recipe) {
  std::vector<bool> needed(recipe.steps.size());
  for (unsigned result : recipe.results)
    needed[result] = true;
  for (std::size_t i = 0; i < recipe.steps.size(); ++i)
    if (recipe.steps[i].isKept)
      needed[i] = true;
  for (std::size_t i = recipe.steps.size(); i-- > 0;) {
    BodyStep &step = recipe.steps[i];
    if (!needed[i])
      continue;
    pruneInputs(step);
    for (const BodyInput &input : step.inputs)
      needed[input.step] = true;
    step.body.walk([&](const BodyExpr &expr) {
      if (expr.form == BodyExpr::Extract)
        needed[expr.number] = true;
    });
  }
  // Keep one argument of the prompt's length, if no step needs one.
  bool found = false;
  for (std::size_t i = 0; i < recipe.steps.size(); ++i)
    found |= needed[i] && hasPromptLength(recipe.steps[i]);
  for (std::size_t i = 0; i < recipe.steps.size() && !found; ++i)
    if (hasPromptLength(recipe.steps[i]))
      found = needed[i] = true;

  std::vector<unsigned> number(recipe.steps.size());
  std::vector<BodyStep> kept;
  for (std::size_t i = 0; i < recipe.steps.size(); ++i) {
    number[i] = kept.size();
    if (!needed[i])
      continue;
    kept.push_back(std::move(recipe.steps[i]));
    for (BodyInput &input : kept.back().inputs)
      input.step = number[input.step];
    kept.back().body.walk([&](BodyExpr &expr) {
      if (expr.form == BodyExpr::Extract)
        expr.number = number[expr.number];
    });
  }
  for (unsigned &result : recipe.results)
    result = number[result];
  recipe.steps = std::move(kept);
}

std::optional<BodyDimension> lastOfSeveral(const BodyRecipe &recipe) {
  std::optional<BodyDimension> last;
  bool several = false;
  for (unsigned step = 0; step < recipe.steps.size(); ++step) {
    if (recipe.steps[step].kind != BodyStep::Argument)
      continue;
    const std::vector<BodyExtent> &shape = recipe.steps[step].shape;
    for (unsigned dim = 0; dim < shape.size(); ++dim) {
      if (shape[dim].kind != BodyExtent::Prompt)
        continue;
      several = last.has_value();
      last = {step, dim};
    }
  }
  return several ? last : std::nullopt;
}

} // namespace npu
