// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// Steps that read elements at computed positions: gathers, tables that a body
// reads, and one element that becomes a condition.

#include "npu-fuzz/Recipes/NestRules.h"
#include "npu-fuzz/Recipes/RecipeBuilder.h"
#include "npu-fuzz/Recipes/RecipeWriter.h"

#include <fmt/ranges.h>

namespace npu {
namespace {

std::optional<unsigned> pickTable(RecipeBuilder &builder) {
  return builder.pick([](const ValueFacts &value) {
    return !value.shape.empty() && value.shape.size() <= 3 &&
           Box::whole(value.shape).volume() > 0;
  });
}

/// Operands: the tensor that is read, and positions: i32 of any value, which
/// stand for the nearest position in the tensor. Numbers: the dimension, and
/// whether the result keeps it.
void proposeGather(RecipeBuilder &builder, const StepKind &kind) {
  auto table = pickTable(builder);
  if (!table)
    return;
  int64_t dim = builder.below(std::ssize(builder[*table].shape));
  Extents places;
  for (int64_t rank = builder.below(3); rank > 0; --rank)
    places.push_back(builder.between(1, 4));
  places.push_back(1);
  unsigned indices = builder.valueOf(places, ElementType::I32);
  builder.add({&kind, {*table, indices}, {dim, builder.below(2)}});
}

std::optional<ValueFacts> inferGather(const Step &step,
                                      const Operands &operands, bool) {
  const ValueFacts &table = *operands[0], &places = *operands[1];
  if (step.numbers[0] >= std::ssize(table.shape) || places.shape.empty() ||
      places.shape.back() != 1 || places.type != ElementType::I32 ||
      Box::whole(table.shape).volume() == 0)
    return std::nullopt;
  Extents shape;
  for (std::size_t dim = 0; dim + 1 < places.shape.size(); ++dim)
    shape.push_back(places.shape[dim]);
  for (int64_t dim = 0; dim < std::ssize(table.shape); ++dim)
    if (dim != step.numbers[0])
      shape.push_back(table.shape[dim]);
    else if (step.numbers[1])
      shape.push_back(1);
  ValueFacts result = factsWith(step, shape, table.type, table.most);
  result.layout = table.layout; // which upstream's verifier asks for
  return result;
}

void writeGather(const Step &step, const Operands &operands,
                 const ValueFacts &result, RecipeWriter &writer) {
  writer.line("{} = tensor.gather {}[{}] gather_dims([{}]) : ({}, {}) -> {}",
              writer.result(), writer.operand(0), writer.operand(1),
              step.numbers[0], writer.type(*operands[0]),
              writer.type(*operands[1]), writer.type(result));
}

/// Operands: positions (i32), and the table, which has no layout: a body needs
/// the whole of a tensor that it captures.
void proposeTable(RecipeBuilder &builder, const StepKind &) {
  auto table = builder.pick([](const ValueFacts &value) {
    return !value.shape.empty() && value.shape.size() <= 2 &&
           value.layout == Layout() && Box::whole(value.shape).volume() > 0;
  });
  if (!table) {
    Step step{&argumentKind, {}, {builder.between(1, 6)}};
    if (builder.oneIn(2))
      step.numbers.push_back(builder.between(1, 4));
    step.type = builder.mainType();
    table = builder.add(std::move(step));
  }
  auto places = builder.pick([](const ValueFacts &value) {
    return value.type == ElementType::I32 && !value.shape.empty();
  });
  unsigned where =
      places ? *places : builder.argument(builder.shape(2), ElementType::I32);
  Expr read{Expr::Extract, builder[*table].type, "inside", 1};
  for (int64_t extent : builder[*table].shape)
    read.operands.push_back(
        division("arith.remui",
                 cast("arith.index_cast", kIndex, input(ElementType::I32, 0)),
                 indexNumber(extent)));
  Step step = elementwise({where}, builder[where].shape.size(), read);
  step.operands.push_back(*table);
  builder.addWithLayout(std::move(step));
}

/// Proposes a scalar i1: whether the element whose coordinates are the numbers
/// is above zero.
void proposeDecide(RecipeBuilder &builder, const StepKind &kind) {
  auto value = pickTable(builder);
  if (!value)
    return;
  Step step{&kind, {*value}};
  for (int64_t extent : builder[*value].shape)
    step.numbers.push_back(builder.below(extent));
  builder.add(std::move(step));
}

std::optional<ValueFacts> inferDecide(const Step &step,
                                      const Operands &operands, bool) {
  const Extents &shape = operands[0]->shape;
  if (step.numbers.size() != shape.size())
    return std::nullopt;
  for (auto [at, extent] : llvm::zip(step.numbers, shape))
    if (at >= extent)
      return std::nullopt;
  return scalarFacts(ElementType::Bool, 1);
}

void writeDecide(const Step &step, const Operands &operands, const ValueFacts &,
                 RecipeWriter &writer) {
  ElementType type = operands[0]->type;
  std::vector<std::string> at;
  for (int64_t place : step.numbers) {
    at.push_back(writer.fresh());
    writer.line("{} = arith.constant {} : index", at.back(), place);
  }
  std::string element = writer.fresh(), zero = writer.constant(type, 0);
  writer.line("{} = tensor.extract {}[{}] : {}", element, writer.operand(0),
              fmt::join(at, ", "), writer.type(*operands[0]));
  writer.line("{} = arith.cmp{} {}, {} : {}", writer.result(),
              isFloat(type)               ? "f ogt,"
              : type == ElementType::Bool ? "i ne,"
                                          : "i sgt,",
              element, zero, nameOf(type));
}

constexpr StepKind kKinds[] = {
    {"gather", proposeGather, inferGather, writeGather},
    {"table", proposeTable, nullptr, nullptr},
    {"decide", proposeDecide, inferDecide, writeDecide},
};

} // namespace

std::span<const StepKind> lookupKinds() { return kKinds; }

} // namespace npu
