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

/// Writes an operation of one tensor, which is called as its kind; those of the
/// npu dialect are without its name.
void writeMove(const Step &step, const Operands &operands,
               const ValueFacts &result, RecipeWriter &writer) {
  llvm::StringRef name = step.kind->name;
  writer.line("{} = {}{} {} : {} to {}", writer.result(),
              name.contains('.') ? "" : "npu.", name.str(), writer.operand(0),
              writer.type(*operands[0]), writer.type(result));
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

constexpr StepKind kKinds[] = {
    {"redistribute", proposeMove, inferMove, writeMove},
    {"tensor.cast", proposeMove, inferMove, writeMove},
    {"distribution_cast", proposeDistributionCast, inferDistributionCast,
     writeMove},
};

} // namespace

const StepKind redistributeKind = kKinds[0];

std::span<const StepKind> layoutKinds() { return kKinds; }

} // namespace npu
