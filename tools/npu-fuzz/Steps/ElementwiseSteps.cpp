// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// Elementwise steps: on one value, on two, on two of different ranks, to
// another type; as named operations, generics, or arith and math on tensors.

#include "npu-fuzz/Recipes/ElementwiseRows.h"
#include "npu-fuzz/Recipes/NestRules.h"
#include "npu-fuzz/Recipes/RecipeWriter.h"
#include "npu-fuzz/Steps/NamedSteps.h"

#include <fmt/ranges.h>

namespace npu {
namespace {

void proposeUnary(RecipeBuilder &builder, const StepKind &) {
  unsigned value = *builder.pick();
  auto rows = std::ssize(rowsFor(builder[value].type, false));
  int64_t row = builder.below(rows), written = builder.below(3);
  builder.addWithLayout(elementwiseStep(builder, {value}, row, written));
}

void proposeBinary(RecipeBuilder &builder, const StepKind &) {
  unsigned a = *builder.pick();
  const ValueFacts first = builder[a];
  unsigned b = builder.valueOf(first.shape, first.type);
  auto rows = std::ssize(rowsFor(first.type, true));
  int64_t row = builder.below(rows), written = builder.below(3);
  builder.addWithLayout(elementwiseStep(builder, {a, b}, row, written));
}

/// Proposes a second operand with some of the dimensions of the first, in any
/// order.
void proposeBroadcasting(RecipeBuilder &builder, const StepKind &) {
  unsigned a = *builder.pick();
  const ValueFacts first = builder[a];
  int64_t row = builder.below(std::ssize(rowsFor(first.type, true)));
  std::vector<int64_t> loops;
  Extents shape;
  for (int64_t dim : builder.permutation(first.shape.size()))
    if (!builder.oneIn(3)) {
      loops.push_back(dim);
      shape.push_back(first.shape[dim]);
    }
  unsigned b = builder.valueOf(shape, first.type);
  builder.addWithLayout(elementwiseStep(builder, {a, b}, row, 0, loops));
}

/// Numbers: the row.
std::optional<ValueFacts> inferNamed(const Step &step, const Operands &operands,
                                     bool exact) {
  const ValueFacts &a = *operands[0], &b = *operands.back();
  auto rows = rowsFor(a.type, operands.size() == 2);
  if (step.numbers[0] >= std::ssize(rows) || a.type != b.type ||
      a.shape != b.shape)
    return std::nullopt;
  const ElementwiseRow &row = rows[step.numbers[0]];
  double most = row.most(a.most, b.most);
  if ((exact && !row.isExact) || !mayReach(a.type, most, exact) ||
      !row.hasNamed(a.type))
    return std::nullopt;
  return factsWith(step, a.shape, a.type, most);
}

void writeNamed(const Step &step, const Operands &operands,
                const ValueFacts &result, RecipeWriter &writer) {
  std::vector<std::string> names, types;
  for (auto [i, operand] : llvm::enumerate(operands)) {
    names.push_back(writer.operand(i));
    types.push_back(writer.type(*operand));
  }
  std::string empty = writer.empty(result);
  writer.line("{} = {} ins({} : {}) outs({} : {}) -> {}", writer.result(),
              rowsFor(result.type, operands.size() == 2)[step.numbers[0]].named,
              fmt::join(names, ", "), fmt::join(types, ", "), empty,
              writer.type(result), writer.type(result));
}

/// The operation that converts between two types, or null.
const char *conversion(ElementType from, ElementType to) {
  auto width = [](ElementType type) {
    return type == ElementType::Bool ? 0 : byteSize(type);
  };
  int64_t bits = width(from), wanted = width(to);
  if (from == to || (bits == wanted && isFloat(from) == isFloat(to)))
    return nullptr;
  if (isFloat(from) && isFloat(to))
    return bits < wanted ? "arith.extf" : "arith.truncf";
  if (!isFloat(from) && !isFloat(to))
    return bits < wanted ? "arith.extsi" : "arith.trunci";
  return isFloat(to) ? "arith.sitofp" : nullptr;
}

void proposeConvert(RecipeBuilder &builder, const StepKind &) {
  constexpr ElementType kTypes[] = {ElementType::F32,  ElementType::F16,
                                    ElementType::BF16, ElementType::F64,
                                    ElementType::I32,  ElementType::I8};
  unsigned value = *builder.pick();
  ElementType from = builder[value].type,
              to = kTypes[builder.below(std::size(kTypes))];
  if (const char *op = conversion(from, to))
    builder.addWithLayout(
        entryByEntry(builder, {value}, false, cast(op, to, input(from, 0))));
}

constexpr StepKind kKinds[] = {
    {"unary", proposeUnary, inferNamed, writeNamed},
    {"binary", proposeBinary, inferNamed, writeNamed},
    {"broadcasting", proposeBroadcasting, nullptr, nullptr},
    {"convert", proposeConvert, nullptr, nullptr},
};

} // namespace

std::span<const StepKind> elementwiseKinds() { return kKinds; }

Step entryByEntry(const RecipeBuilder &builder, std::vector<unsigned> operands,
                  bool onTensors, Expr body) {
  std::size_t rank = builder[operands[0]].shape.size();
  Step step = elementwise(std::move(operands), rank, std::move(body));
  if (onTensors)
    step.nest->form = LoopNest::OnTensors;
  return step;
}

Step elementwiseStep(const RecipeBuilder &builder,
                     std::vector<unsigned> operands, int64_t row,
                     int64_t written,
                     std::optional<std::vector<int64_t>> loops) {
  if (static_cast<Written>(written) == Written::Named)
    return {&kKinds[operands.size() - 1], std::move(operands), {row}};
  ElementType type = builder[operands[0]].type;
  std::vector<Expr> inputs;
  for (std::size_t i = 0; i < operands.size(); ++i)
    inputs.push_back(input(type, static_cast<int64_t>(i)));
  const ElementwiseRow &op = rowsFor(type, operands.size() == 2)[row];
  Step step = entryByEntry(builder, std::move(operands),
                           static_cast<Written>(written) == Written::OnTensors,
                           simple(op.op, std::move(inputs)));
  if (loops)
    step.nest->inputs[1] = plainIndices(*loops);
  return step;
}

} // namespace npu
