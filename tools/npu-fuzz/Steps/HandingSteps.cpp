// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// Steps of control flow and calls that hand on their arguments: one tensor as
// two results, exchanged iteration arguments, constants, values from before the
// loop, loops that never run.

#include "npu-fuzz/Recipes/RecipeBuilder.h"
#include "npu-fuzz/Steps/Carried.h"

#include <algorithm>

namespace npu {
namespace {

constexpr const char *kCarriers[] = {
    "if", "for", "for", "while", "while", "execute_region", "call", "call"};

/// Proposes a step of one of the control kinds.
void proposeHanding(RecipeBuilder &builder, const StepKind &) {
  std::string_view name = kCarriers[builder.below(std::size(kCarriers))];
  Step step{&kindNamed(controlKinds(), name)};
  step.operands.push_back(*builder.pick());
  const ValueFacts like = builder[step.operands[0]];
  for (int64_t more = builder.below(3); more > 0; --more)
    // The same value may be carried twice.
    step.operands.push_back(builder.oneIn(3) ? step.operands[0]
                                             : builder.valueLike(like));
  auto given = static_cast<unsigned>(step.operands.size());
  bool isIf = name == "if", mayYieldMore = isIf || name == "execute_region";
  unsigned yields = (given > 1 || mayYieldMore) && !builder.oneIn(3) ? 2 : 1;
  for (int body = 0; body < (isIf ? 2 : 1); ++body)
    step.bodies.push_back(handingBody(builder, like.type, given, yields));
  if (isIf)
    step.operands.insert(step.operands.begin(), builder.flag());
  else if (name == "call")
    step.numbers = {builder.between(1, 2)};
  else if (name != "execute_region")
    step.numbers = {builder.below(4)};
  step.secondLayout = builder.layout(like.shape);
  builder.addPair(std::move(step));
}

/// The proposed steps have control kinds, so that this kind infers and writes
/// nothing.
constexpr StepKind kKinds[] = {
    {"handing", proposeHanding, nullptr, nullptr},
    {"handing", proposeHanding, nullptr, nullptr},
    {"handing", proposeHanding, nullptr, nullptr},
};

} // namespace

std::span<const StepKind> handingKinds() { return kKinds; }

} // namespace npu
