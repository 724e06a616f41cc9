// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// Steps that change the layout of a value and nothing else.

#include "npu-fuzz/Recipes/RecipeBuilder.h"
#include "npu-fuzz/Recipes/RecipeWriter.h"

namespace npu {
namespace {

void proposeMove(RecipeBuilder &builder, const StepKind &kind) {
  builder.addWithLayout({&kind, {*builder.pick()}});
}

std::optional<ValueFacts> inferMove(const Step &step, const Operands &operands,
                                    bool) {
  ValueFacts result = *operands[0];
  result.second = nullptr;
  result.layout = step.layout;
  return result;
}

void writeRedistribute(const Step &, const Operands &operands,
                       const ValueFacts &result, RecipeWriter &writer) {
  writer.line("{} = npu.redistribute {} : {} to {}", writer.result(),
              writer.operand(0), writer.type(*operands[0]),
              writer.type(result));
}

void writeTensorCast(const Step &, const Operands &operands,
                     const ValueFacts &result, RecipeWriter &writer) {
  writer.line("{} = tensor.cast {} : {} to {}", writer.result(),
              writer.operand(0), writer.type(*operands[0]),
              writer.type(result));
}

/// Proposes a cast to another label of the same boxes, or to a part of them.
void proposeDistributionCast(RecipeBuilder &builder, const StepKind &kind) {
  auto value = builder.pick([](const ValueFacts &value) {
    return value.layout.distribution.has_value();
  });
  if (!value)
    return;
  const ValueFacts facts = builder[*value];
  for (int tries = 0; tries < 10; ++tries) {
    Step step{&kind, {*value}};
    step.layout = facts.layout;
    step.layout.distribution = builder.layout(facts.shape).distribution;
    if (step.layout.distribution && builder.add(std::move(step)))
      return;
  }
}

std::optional<ValueFacts>
inferDistributionCast(const Step &step, const Operands &operands, bool) {
  const ValueFacts &value = *operands[0];
  if (!value.layout.distribution || !step.layout.distribution)
    return std::nullopt;
  Result<Placement> from = place(*value.layout.distribution, value.shape),
                    to = place(*step.layout.distribution, value.shape);
  if (!from || !to || !memoryContains(*from, *to))
    return std::nullopt;
  ValueFacts result = value;
  result.second = nullptr;
  result.layout.distribution = step.layout.distribution;
  return result;
}

void writeDistributionCast(const Step &, const Operands &operands,
                           const ValueFacts &result, RecipeWriter &writer) {
  writer.line("{} = npu.distribution_cast {} : {} to {}", writer.result(),
              writer.operand(0), writer.type(*operands[0]),
              writer.type(result));
}

constexpr StepKind kKinds[] = {
    {"redistribute", proposeMove, inferMove, writeRedistribute},
    {"tensor.cast", proposeMove, inferMove, writeTensorCast},
    {"distribution_cast", proposeDistributionCast, inferDistributionCast,
     writeDistributionCast},
};

} // namespace

const StepKind redistributeKind = kKinds[0];

std::span<const StepKind> layoutKinds() { return kKinds; }

} // namespace npu
