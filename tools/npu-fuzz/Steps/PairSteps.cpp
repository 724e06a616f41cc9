// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// Steps with two results, each with a layout of its own: two functions of the
// same elements, and a maximum beside its position.

#include "npu-fuzz/Recipes/ElementwiseRows.h"
#include "npu-fuzz/Recipes/NestRules.h"
#include "npu-fuzz/Recipes/RecipeBuilder.h"

namespace npu {
namespace {

/// Proposes one or two inputs of one shape, and outputs that are overwritten or
/// read; the second one may be permuted.
void proposeTwo(RecipeBuilder &builder, const StepKind &) {
  auto value = builder.pickFilled();
  if (!value)
    return;
  const ValueFacts first = builder[*value];
  ElementType type = first.type;
  auto rows = rowsFor(type, true);
  const char *ops[2];
  for (const char *&op : ops)
    op = rows[builder.below(std::ssize(rows))].op;
  std::size_t rank = first.shape.size();
  Permutation dims = identityPermutation(rank);
  if (builder.oneIn(3))
    dims = builder.permutation(rank);
  Extents other = permute(first.shape, dims);
  std::vector<unsigned> operands = {*value};
  bool two = builder.oneIn(2);
  if (two)
    operands.push_back(builder.valueOf(first.shape, type));
  Step step = elementwise(std::move(operands), rank, {});
  LoopNest &nest = *step.nest;
  nest.outputs.push_back(plainIndices(dims.span()));
  nest.beginsAsOperand = builder.oneIn(2);
  if (nest.beginsAsOperand) {
    step.operands.push_back(builder.valueOf(first.shape, type));
    step.operands.push_back(builder.valueOf(other, type));
  } else {
    step.layout = builder.layoutLike(first, first.shape);
    step.secondLayout = builder.layout(other);
  }
  nest.bodies.clear();
  for (int64_t i = 0; i < 2; ++i)
    nest.bodies.push_back(
        simple(ops[i], {input(type, i && two), nest.beginsAsOperand
                                                   ? accumulator(type, i)
                                                   : input(type, two)}));
  builder.addPair(std::move(step));
}

void proposeArgMost(RecipeBuilder &builder, const StepKind &) {
  auto value = builder.pickFilled();
  if (!value || builder[*value].type == ElementType::Bool)
    return;
  const ValueFacts facts = builder[*value];
  ElementType type = facts.type;
  auto rank = std::ssize(facts.shape);
  int64_t dim = builder.below(rank);
  std::vector<int64_t> kept = others(rank, std::span(&dim, 1));
  Extents shape;
  for (int64_t each : kept)
    shape.push_back(facts.shape[each]);
  Expr larger = comparison(isFloat(type) ? "ogt" : "sgt", input(type, 0),
                           accumulator(type));
  Step step = elementwise({*value}, rank, {});
  LoopNest &nest = *step.nest;
  nest.outputs = {plainIndices(kept), plainIndices(kept)};
  nest.begins = {number(type, -100), number(ElementType::I32, -1)};
  nest.bodies = {choose(larger, input(type, 0), accumulator(type)),
                 choose(larger, positionAs(ElementType::I32, position(dim)),
                        accumulator(ElementType::I32, 1))};
  step.layout = builder.layout(shape);
  step.secondLayout = builder.oneIn(2) ? step.layout : builder.layout(shape);
  builder.addPair(std::move(step));
}

constexpr StepKind kKinds[] = {
    {"two results", proposeTwo, nullptr, nullptr},
    {"two results", proposeTwo, nullptr, nullptr},
    {"arg max", proposeArgMost, nullptr, nullptr},
};

} // namespace

std::span<const StepKind> pairKinds() { return kKinds; }

} // namespace npu
