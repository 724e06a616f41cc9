// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// Steps that make tensors of i1 and of other types that no other steps make:
// comparisons, masks, selects by them, and moves between layouts in small
// types.

#include "npu-fuzz/Recipes/RecipeWriter.h"
#include "npu-fuzz/Steps/NamedSteps.h"

namespace npu {
namespace {

constexpr const char *kFloatPredicates[] = {"olt", "oge", "oeq", "une", "ult"};
constexpr const char *kIntegerPredicates[] = {"slt", "sge", "eq", "ne", "ult"};
constexpr const char *kLogic[] = {"arith.andi", "arith.ori", "arith.xori"};

/// A second operand for a step with the operand `first`.
unsigned beside(RecipeBuilder &builder, const ValueFacts &first,
                ElementType type, bool onTensors) {
  if (!onTensors)
    return builder.valueOf(first.shape, type);
  ValueFacts wanted = first;
  wanted.type = type;
  return builder.valueLike(wanted);
}

void proposeCompare(RecipeBuilder &builder, const StepKind &) {
  unsigned a = *builder.pick();
  const ValueFacts first = builder[a];
  bool onTensors = !builder.oneIn(2);
  unsigned b = beside(builder, first, first.type, onTensors);
  int64_t row = builder.below(5);
  builder.addWithLayout(
      entryByEntry(builder, {a, b}, onTensors,
                   comparison(isFloat(first.type) ? kFloatPredicates[row]
                                                  : kIntegerPredicates[row],
                              input(first.type, 0), input(first.type, 1))));
}

/// An existing mask, or an argument of the shape of an existing value.
unsigned maskOf(RecipeBuilder &builder) {
  auto mask = builder.pick(
      [](const ValueFacts &value) { return value.type == ElementType::Bool; });
  if (mask && !builder.oneIn(4))
    return *mask;
  const Extents shape = builder[*builder.pick()].shape;
  return builder.argument(shape, ElementType::Bool);
}

void proposeLogic(RecipeBuilder &builder, const StepKind &) {
  unsigned a = maskOf(builder);
  const ValueFacts first = builder[a];
  bool onTensors = !builder.oneIn(2);
  unsigned b = beside(builder, first, ElementType::Bool, onTensors);
  builder.addWithLayout(entryByEntry(
      builder, {a, b}, onTensors,
      simple(kLogic[builder.below(3)],
             {input(ElementType::Bool, 0), input(ElementType::Bool, 1)})));
}

void proposeSelect(RecipeBuilder &builder, const StepKind &) {
  unsigned mask = maskOf(builder);
  const ValueFacts first = builder[mask];
  bool onTensors = !builder.oneIn(2);
  ElementType type = builder.mainType();
  unsigned a = beside(builder, first, type, onTensors);
  unsigned b = beside(builder, first, type, onTensors);
  builder.addWithLayout(entryByEntry(
      builder, {mask, a, b}, onTensors,
      choose(input(ElementType::Bool, 0), input(type, 1), input(type, 2))));
}

/// Proposes a select of tensors by one i1 for all entries.
void proposeSelectByFlag(RecipeBuilder &builder, const StepKind &) {
  unsigned a = *builder.pick();
  unsigned b = builder.valueLike(builder[a]);
  unsigned flag = builder.flag();
  ElementType type = builder[a].type;
  Step step = entryByEntry(builder, {a, b}, true,
                           choose({Expr::Extract, ElementType::Bool, "", 2},
                                  input(type, 0), input(type, 1)));
  step.operands.push_back(flag);
  builder.add(std::move(step));
}

/// A conversion to another type, a move to another layout, and a conversion
/// back.
struct Detour {
  const char *to, *through, *back;
};
constexpr Detour kIntegerDetours[] = {
    {"index", "arith.index_cast", "arith.index_cast"},
    {"i1", "arith.trunci", "arith.extui"},
    {"i64", "arith.extsi", "arith.trunci"},
    {"i4", "arith.trunci", "arith.extsi"},
};
constexpr Detour kBits[] = {{"i16", "tensor.bitcast", "tensor.bitcast"},
                            {"i32", "tensor.bitcast", "tensor.bitcast"},
                            {"f32", "tensor.bitcast", "tensor.bitcast"},
                            {"i64", "tensor.bitcast", "tensor.bitcast"}};

const Detour *detourOf(const Step &step, ElementType type) {
  switch (type) {
  case ElementType::F16:
  case ElementType::BF16:
    return &kBits[0];
  case ElementType::F32:
    return &kBits[1];
  case ElementType::F64:
    return &kBits[3];
  case ElementType::I32:
    if (step.numbers[0] == 4)
      return &kBits[2];
    [[fallthrough]];
  case ElementType::I8:
  case ElementType::I16:
    return &kIntegerDetours[step.numbers[0] % std::size(kIntegerDetours)];
  default:
    return nullptr;
  }
}

void proposeDetour(RecipeBuilder &builder, const StepKind &kind) {
  builder.addWithLayout({&kind, {*builder.pick()}, {builder.below(5)}});
}

std::optional<ValueFacts> inferDetour(const Step &step,
                                      const Operands &operands, bool) {
  const ValueFacts &value = *operands[0];
  if (!detourOf(step, value.type))
    return std::nullopt;
  return factsWith(step, value.shape, value.type, value.most);
}

void writeDetour(const Step &step, const Operands &operands,
                 const ValueFacts &result, RecipeWriter &writer) {
  const Detour &detour = *detourOf(step, result.type);
  auto typeOf = [&](const ValueFacts &value) {
    std::string text = writer.type(value), element = nameOf(value.type);
    // The element type is in front of the layout, or at the end.
    std::size_t end = text.find(", "), begin = std::min(end, text.size() - 1);
    return text.replace(begin - element.size(), element.size(), detour.to);
  };
  std::string other = writer.fresh(), moved = writer.fresh();
  std::string from = typeOf(*operands[0]), to = typeOf(result);
  writer.line("{} = {} {} : {} to {}", other, detour.through, writer.operand(0),
              writer.type(*operands[0]), from);
  writer.line("{} = npu.redistribute {} : {} to {}", moved, other, from, to);
  writer.line("{} = {} {} : {} to {}", writer.result(), detour.back, moved, to,
              writer.type(result));
}

constexpr StepKind kKinds[] = {
    {"compare", proposeCompare, nullptr, nullptr},
    {"compare", proposeCompare, nullptr, nullptr},
    {"logic", proposeLogic, nullptr, nullptr},
    {"select", proposeSelect, nullptr, nullptr},
    {"select", proposeSelectByFlag, nullptr, nullptr},
    {"detour", proposeDetour, inferDetour, writeDetour},
};

} // namespace

std::span<const StepKind> maskKinds() { return kKinds; }

} // namespace npu
