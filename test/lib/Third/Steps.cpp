// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// Third operations in made-up functions.

#include "Steps.h"

#include "npu-fuzz/Recipes/RecipeBuilder.h"
#include "npu-fuzz/Recipes/RecipeWriter.h"

using npu::ElementType, npu::Extents, npu::Operands, npu::RecipeBuilder,
    npu::RecipeWriter, npu::Step, npu::StepKind, npu::ValueFacts;

namespace third {
namespace {

/// Takes values with entries, of f32 and two dimensions.
std::optional<unsigned> pickMatrix(RecipeBuilder &builder) {
  return builder.pick([](const ValueFacts &value) {
    return value.type == ElementType::F32 && value.shape.size() == 2 &&
           npu::Box::whole(value.shape).volume() > 0;
  });
}

bool isMatrix(const ValueFacts &value) {
  return value.type == ElementType::F32 && value.shape.size() == 2 &&
         !value.grows() && npu::Box::whole(value.shape).volume() > 0;
}

/// numbers: the dimension.
void proposeReverse(RecipeBuilder &builder, const StepKind &kind) {
  if (auto value = builder.pickFilled())
    builder.addWithLayout(
        {&kind, {*value}, {builder.below(std::ssize(builder[*value].shape))}});
}

std::optional<ValueFacts> inferReverse(const Step &step,
                                       const Operands &operands, bool) {
  const ValueFacts &value = *operands[0];
  if (step.numbers[0] >= std::ssize(value.shape) || value.grows())
    return std::nullopt;
  return npu::factsWith(step, value.shape, value.type, value.most);
}

void writeReverse(const Step &step, const Operands &operands,
                  const ValueFacts &result, RecipeWriter &writer) {
  writer.line("{} = third.reverse {} along {} : {} -> {}", writer.result(),
              writer.operand(0), step.numbers[0], writer.type(*operands[0]),
              writer.type(result));
}

/// numbers: rows of the window.
void proposeBlur(RecipeBuilder &builder, const StepKind &kind) {
  if (auto value = pickMatrix(builder))
    builder.addWithLayout(
        {&kind, {*value}, {builder.between(1, builder[*value].shape[0])}});
}

std::optional<ValueFacts> inferBlur(const Step &step, const Operands &operands,
                                    bool exact) {
  const ValueFacts &value = *operands[0];
  if (!isMatrix(value) || step.numbers[0] > value.shape[0])
    return std::nullopt;
  Extents shape = value.shape;
  shape[0] -= step.numbers[0] - 1;
  double most = value.most * double(step.numbers[0]) + 1;
  if (!npu::mayReach(value.type, most, exact))
    return std::nullopt;
  return npu::factsWith(step, shape, value.type, most);
}

void writeBlur(const Step &, const Operands &operands, const ValueFacts &result,
               RecipeWriter &writer) {
  std::string into = writer.filled(result, 1);
  writer.line("{} = third.blur {} into {} : {}, {} -> {}", writer.result(),
              writer.operand(0), into, writer.type(*operands[0]),
              writer.type(result), writer.type(result));
}

void proposeMinMax(RecipeBuilder &builder, const StepKind &kind) {
  auto value = pickMatrix(builder);
  if (!value)
    return;
  Extents rows;
  rows.push_back(builder[*value].shape[0]);
  Step step{&kind, {*value}};
  step.secondLayout = builder.layout(rows);
  builder.addPair(std::move(step));
}

std::optional<ValueFacts> inferMinMax(const Step &step,
                                      const Operands &operands, bool) {
  const ValueFacts &value = *operands[0];
  if (!isMatrix(value))
    return std::nullopt;
  Extents rows;
  rows.push_back(value.shape[0]);
  ValueFacts low = npu::factsWith(step, rows, value.type, value.most);
  ValueFacts high = low;
  high.layout = step.secondLayout;
  low.second = std::make_shared<const ValueFacts>(std::move(high));
  return low;
}

void writeMinMax(const Step &, const Operands &operands,
                 const ValueFacts &result, RecipeWriter &writer) {
  writer.line("{}:2 = third.minmax {} : {} -> {}, {}", writer.result(),
              writer.operand(0), writer.type(*operands[0]), writer.type(result),
              writer.type(*result.second));
  writer.callResult(writer.result() + "#0");
}

void proposeTake(RecipeBuilder &builder, const StepKind &kind) {
  auto table = pickMatrix(builder);
  if (!table)
    return;
  Extents places;
  places.push_back(builder.between(1, 6));
  unsigned at = builder.valueOf(places, ElementType::I32);
  builder.addWithLayout({&kind, {*table, at}});
}

std::optional<ValueFacts> inferTake(const Step &step, const Operands &operands,
                                    bool) {
  const ValueFacts &table = *operands[0], &places = *operands[1];
  if (!isMatrix(table) || places.shape.size() != 1 ||
      places.type != ElementType::I32)
    return std::nullopt;
  Extents shape = table.shape;
  shape[0] = places.shape[0];
  return npu::factsWith(step, shape, table.type, table.most);
}

void writeTake(const Step &, const Operands &operands, const ValueFacts &result,
               RecipeWriter &writer) {
  writer.line("{} = third.take {}[{}] : {}, {} -> {}", writer.result(),
              writer.operand(0), writer.operand(1), writer.type(*operands[0]),
              writer.type(*operands[1]), writer.type(result));
}

constexpr StepKind kKinds[] = {
    {"third.reverse", proposeReverse, inferReverse, writeReverse},
    {"third.blur", proposeBlur, inferBlur, writeBlur},
    {"third.minmax", proposeMinMax, inferMinMax, writeMinMax},
    {"third.take", proposeTake, inferTake, writeTake},
};

} // namespace

std::span<const StepKind> stepKinds() { return kKinds; }

} // namespace third
