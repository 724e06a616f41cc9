// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// Steps with tensors without entries, and steps that make tensors with entries
// of them: reductions over no entries, concatenation, padding, insertion.

#include "npu-fuzz/Recipes/NestRules.h"
#include "npu-fuzz/Steps/NamedSteps.h"

namespace npu {
namespace {

/// The shape with the extent 0 in that dimension.
Extents without(Extents shape, int64_t dim) {
  shape[dim] = 0;
  return shape;
}

/// The numbers of a slice without entries: offset, size, stride and 0 for a
/// kept dimension, as "extract_slice" has them. Precondition: no extent is
/// zero, or upstream takes the slice to be out of bounds.
std::vector<int64_t> sliceWithout(RecipeBuilder &builder, const Extents &shape,
                                  int64_t dim) {
  std::vector<int64_t> numbers;
  for (int64_t each = 0; each < std::ssize(shape); ++each) {
    bool gone = each == dim;
    numbers.insert(numbers.end(), {gone ? builder.below(shape[each]) : 0,
                                   gone ? 0 : shape[each], 1, 0});
  }
  return numbers;
}

/// Proposes a step of another kind with an operand without entries.
void proposeFromNothing(RecipeBuilder &builder, const StepKind &) {
  auto value = builder.pickRanked();
  if (!value)
    return;
  const ValueFacts facts = builder[*value];
  auto rank = std::ssize(facts.shape);
  int64_t dim = builder.below(rank);
  Step step;
  bool isEmpty = Box::whole(facts.shape).volume() == 0;
  switch (isEmpty ? builder.between(2, 3) : builder.below(4)) {
  case 0:
    step = {&kindNamed(sliceKinds(), "extract_slice"),
            {*value},
            sliceWithout(builder, facts.shape, dim)};
    break;
  case 1: {
    step.kind = &kindNamed(sliceKinds(), "insert_slice");
    step.numbers = sliceWithout(builder, facts.shape, dim);
    unsigned part = builder.valueOf(without(facts.shape, dim), facts.type);
    step.operands = {part, *value};
    builder.add(std::move(step));
    return;
  }
  case 2: {
    unsigned part = builder.valueOf(without(facts.shape, dim), facts.type);
    step = {&kindNamed(sliceKinds(), "concat"), {part, *value}, {dim}};
    if (builder.oneIn(3))
      step.operands.push_back(part);
    builder.shuffle(step.operands);
    break;
  }
  default:
    step = plainPad(builder.valueOf(without(facts.shape, dim), facts.type));
    for (int64_t i = 0; i < 2 * rank; ++i)
      step.numbers.push_back(builder.below(3));
  }
  builder.addWithLayout(std::move(step));
}

/// What the body of a reduction over no entries does: overwrite, add, take the
/// maximum; or the same without reading the reduced operand.
enum OverNothing : int64_t {
  Overwrites,
  Sums,
  TakesMost,
  WritesOne,
  FormCount
};

void proposeOver(RecipeBuilder &builder, const StepKind &) {
  auto value = builder.pickRanked();
  if (!value)
    return;
  const ValueFacts facts = builder[*value];
  auto rank = std::ssize(facts.shape);
  int64_t dim = builder.below(rank);
  unsigned nothing = builder.valueOf(without(facts.shape, dim), facts.type);
  std::vector<int64_t> kept = others(rank, std::span(&dim, 1));
  Extents shape;
  for (int64_t each : kept)
    shape.push_back(facts.shape[each]);
  unsigned stays = builder.valueOf(shape, facts.type);
  int64_t form = builder.below(FormCount);
  bool named = (form == Sums || form == TakesMost) && builder.oneIn(2);
  bool floats = isFloat(facts.type);
  const char *op = form == TakesMost ? floats ? "arith.maximumf" : "arith.maxsi"
                   : floats          ? "arith.addf"
                                     : "arith.addi";
  Expr entry = input(facts.type, 0);
  Step step = elementwise({nothing}, rank,
                          form == Overwrites ? entry
                          : form == WritesOne
                              ? number(facts.type, 1)
                              : simple(op, {entry, accumulator(facts.type)}));
  step.operands.push_back(stays);
  step.nest->form = named ? LoopNest::Reduce : LoopNest::Generic;
  step.nest->beginsAsOperand = true;
  step.nest->outputs = {plainIndices(kept)};
  builder.add(std::move(step));
}

/// Both rows propose steps of other kinds, so that they infer and write
/// nothing.
constexpr StepKind kKinds[] = {
    {"from nothing", proposeFromNothing, nullptr, nullptr},
    {"over nothing", proposeOver, nullptr, nullptr},
};

} // namespace

std::span<const StepKind> nothingKinds() { return kKinds; }

} // namespace npu
