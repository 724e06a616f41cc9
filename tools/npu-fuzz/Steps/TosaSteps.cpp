// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// Steps of TOSA operations: elementwise ones, conversions, reductions.

#include "npu-fuzz/Recipes/RecipeBuilder.h"
#include "npu-fuzz/Recipes/RecipeWriter.h"

namespace npu {
namespace {

bool hasTosa(ElementType type) {
  return type == ElementType::F32 || type == ElementType::F16 ||
         type == ElementType::I32;
}

std::optional<unsigned> pickForTosa(RecipeBuilder &builder) {
  return builder.pick([](const ValueFacts &value) {
    return hasTosa(value.type) && !value.shape.empty() &&
           Box::whole(value.shape).volume() > 0;
  });
}

struct TosaRow {
  const char *op;
  bool forIntegers, isExact, addsUp;
};
constexpr TosaRow kUnary[] = {
    {"abs", true, true, false},       {"negate", false, true, false},
    {"floor", false, true, false},    {"tanh", false, false, false},
    {"sigmoid", false, false, false},
};
constexpr TosaRow kBinary[] = {
    {"add", true, true, true},
    {"sub", true, true, true},
    {"maximum", true, true, false},
    {"minimum", true, true, false},
};
constexpr TosaRow kReductions[] = {
    {"reduce_sum", true, true, true},
    {"reduce_max", true, true, false},
    {"reduce_min", true, true, false},
};

bool isFor(const TosaRow &row, ElementType type, bool exact) {
  return hasTosa(type) && (isFloat(type) || row.forIntegers) &&
         (!exact || row.isExact);
}

/// Numbers: the row.
void proposeUnary(RecipeBuilder &builder, const StepKind &kind) {
  if (auto value = pickForTosa(builder))
    builder.addWithLayout(
        {&kind, {*value}, {builder.below(std::size(kUnary))}});
}

std::optional<ValueFacts> inferUnary(const Step &step, const Operands &operands,
                                     bool exact) {
  const ValueFacts &a = *operands[0];
  if (a.scalar || !isFor(kUnary[step.numbers[0]], a.type, exact) ||
      Box::whole(a.shape).volume() == 0)
    return std::nullopt;
  return factsWith(step, a.shape, a.type, a.most + 1);
}

/// Writes an operation on one value; tosa.negate also has zero points as
/// operands.
void writeUnary(const Step &step, const Operands &operands,
                const ValueFacts &result, RecipeWriter &writer) {
  std::string op = kUnary[step.numbers[0]].op, type = writer.type(*operands[0]),
              element = nameOf(result.type);
  if (op != "negate")
    return writer.line("{} = tosa.{} {} : ({}) -> {}", writer.result(), op,
                       writer.operand(0), type, writer.type(result));
  std::string zero = writer.fresh();
  writer.line("{} = \"tosa.const\"() <{{values = dense<0.0> : tensor<1x{}>}}> "
              ": () -> tensor<1x{}>",
              zero, element, element);
  writer.line("{0} = tosa.negate {1}, {2}, {2} : ({3}, tensor<1x{4}>, "
              "tensor<1x{4}>) -> {5}",
              writer.result(), writer.operand(0), zero, type, element,
              writer.type(result));
}

void proposeBinary(RecipeBuilder &builder, const StepKind &kind) {
  auto a = pickForTosa(builder);
  if (!a)
    return;
  const ValueFacts first = builder[*a];
  unsigned b = builder.valueOf(first.shape, first.type);
  builder.addWithLayout({&kind, {*a, b}, {builder.below(std::size(kBinary))}});
}

std::optional<ValueFacts> inferBinary(const Step &step,
                                      const Operands &operands, bool exact) {
  const ValueFacts &a = *operands[0], &b = *operands[1];
  const TosaRow &row = kBinary[step.numbers[0]];
  if (a.scalar || b.scalar || a.type != b.type || a.shape != b.shape ||
      !isFor(row, a.type, exact) || Box::whole(a.shape).volume() == 0)
    return std::nullopt;
  double most = row.addsUp ? a.most + b.most : std::max(a.most, b.most);
  if (!mayReach(a.type, most, exact))
    return std::nullopt;
  return factsWith(step, a.shape, a.type, most);
}

void writeBinary(const Step &step, const Operands &operands,
                 const ValueFacts &result, RecipeWriter &writer) {
  writer.line("{} = tosa.{} {}, {} : ({}, {}) -> {}", writer.result(),
              kBinary[step.numbers[0]].op, writer.operand(0), writer.operand(1),
              writer.type(*operands[0]), writer.type(*operands[1]),
              writer.type(result));
}

void proposeCast(RecipeBuilder &builder, const StepKind &kind) {
  auto value = pickForTosa(builder);
  if (!value)
    return;
  constexpr ElementType kTypes[] = {ElementType::F32, ElementType::F16,
                                    ElementType::I32};
  Step step{&kind, {*value}};
  step.type = kTypes[builder.below(std::size(kTypes))];
  builder.addWithLayout(std::move(step));
}

std::optional<ValueFacts> inferCast(const Step &step, const Operands &operands,
                                    bool exact) {
  const ValueFacts &a = *operands[0];
  if (a.scalar || a.type == step.type || !hasTosa(a.type) ||
      !hasTosa(step.type) || !mayReach(step.type, a.most, exact) ||
      Box::whole(a.shape).volume() == 0)
    return std::nullopt;
  return factsWith(step, a.shape, step.type, a.most);
}

void writeCast(const Step &, const Operands &operands, const ValueFacts &result,
               RecipeWriter &writer) {
  writer.line("{} = tosa.cast {} : ({}) -> {}", writer.result(),
              writer.operand(0), writer.type(*operands[0]),
              writer.type(result));
}

/// Numbers: the row, and the dimension, which the result keeps with extent 1.
void proposeReduce(RecipeBuilder &builder, const StepKind &kind) {
  auto value = pickForTosa(builder);
  if (!value)
    return;
  int64_t dim = builder.below(std::ssize(builder[*value].shape)),
          row = builder.below(std::size(kReductions));
  if (kReductions[row].addsUp)
    value = builder.summable(*value, std::span(&dim, 1));
  builder.addWithLayout({&kind, {*value}, {row, dim}});
}

std::optional<ValueFacts> inferReduce(const Step &step,
                                      const Operands &operands, bool exact) {
  const ValueFacts &a = *operands[0];
  const TosaRow &row = kReductions[step.numbers[0]];
  int64_t dim = step.numbers[1];
  if (a.scalar || dim >= std::ssize(a.shape) || !isFor(row, a.type, exact) ||
      Box::whole(a.shape).volume() == 0)
    return std::nullopt;
  if (row.addsUp && !sumIsSafe(a, std::span(&dim, 1), exact))
    return std::nullopt;
  double most =
      row.addsUp ? a.most * static_cast<double>(a.shape[dim]) : a.most;
  if (!mayReach(a.type, most, exact))
    return std::nullopt;
  Extents shape = a.shape;
  shape[dim] = 1;
  return factsWith(step, shape, a.type, most);
}

void writeReduce(const Step &step, const Operands &operands,
                 const ValueFacts &result, RecipeWriter &writer) {
  writer.line("{} = tosa.{} {} {{axis = {} : i32}} : ({}) -> {}",
              writer.result(), kReductions[step.numbers[0]].op,
              writer.operand(0), step.numbers[1], writer.type(*operands[0]),
              writer.type(result));
}

constexpr StepKind kKinds[] = {
    {"tosa unary", proposeUnary, inferUnary, writeUnary},
    {"tosa binary", proposeBinary, inferBinary, writeBinary},
    {"tosa cast", proposeCast, inferCast, writeCast},
    {"tosa reduce", proposeReduce, inferReduce, writeReduce},
};

} // namespace

std::span<const StepKind> tosaKinds() { return kKinds; }

} // namespace npu
