// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// Elementwise steps: on one value, on two, on two of different ranks, to
// another type; as named operations, generics, or arith and math on tensors.

#include "npu-fuzz/Recipes/ElementwiseRows.h"
#include "npu-fuzz/Recipes/RecipeBuilder.h"
#include "npu-fuzz/Recipes/RecipeWriter.h"

namespace npu {
namespace {

/// Numbers: row, form; then, for a second operand in generic form, the loop of
/// each of its dimensions.
const ElementwiseRow *rowOf(const Step &step, const Operands &operands) {
  auto rows = rowsFor(operands[0]->type, operands.size() == 2);
  if (step.numbers[0] >= static_cast<int64_t>(rows.size()))
    return nullptr;
  return &rows[step.numbers[0]];
}

Form formOf(const Step &step) { return static_cast<Form>(step.numbers[1]); }

std::span<const int64_t> loopsOfSecond(const Step &step) {
  return std::span(step.numbers).subspan(2);
}

void proposeUnary(RecipeBuilder &builder, const StepKind &kind) {
  unsigned value = *builder.pick();
  auto rows = rowsFor(builder[value].type, false);
  builder.addWithLayout(
      {&kind, {value}, {builder.below(std::ssize(rows)), builder.below(3)}});
}

void proposeBinary(RecipeBuilder &builder, const StepKind &kind) {
  unsigned a = *builder.pick();
  const ValueFacts first = builder[a];
  unsigned b = builder.valueOf(first.shape, first.type);
  auto rows = rowsFor(first.type, true);
  builder.addWithLayout(
      {&kind, {a, b}, {builder.below(std::ssize(rows)), builder.below(3)}});
}

/// Proposes a second operand with some of the dimensions of the first, in any
/// order.
void proposeBroadcasting(RecipeBuilder &builder, const StepKind &kind) {
  unsigned a = *builder.pick();
  const ValueFacts first = builder[a];
  Step step{&kind, {a}, {}};
  auto rows = rowsFor(first.type, true);
  step.numbers = {builder.below(std::ssize(rows)),
                  static_cast<int64_t>(Form::Generic)};
  Extents shape;
  for (int64_t dim : builder.permutation(first.shape.size()))
    if (!builder.oneIn(3)) {
      step.numbers.push_back(dim);
      shape.push_back(first.shape[dim]);
    }
  step.operands.push_back(builder.valueOf(shape, first.type));
  builder.addWithLayout(std::move(step));
}

std::optional<ValueFacts>
inferElementwise(const Step &step, const Operands &operands, bool exact) {
  const ValueFacts &a = *operands[0];
  const ElementwiseRow *row = rowOf(step, operands);
  if (!row || (exact && !row->isExact))
    return std::nullopt;
  double most = row->most(a.most, operands.back()->most);
  if (!mayReach(a.type, most, exact))
    return std::nullopt;
  Form form = formOf(step);
  if (form == Form::Named && !row->hasNamed(a.type))
    return std::nullopt;
  ValueFacts result = factsWith(step, a.shape, a.type, most);
  if (form == Form::Scalar) // one type for all
    result.layout = a.layout;
  if (operands.size() == 1)
    return result;
  const ValueFacts &b = *operands[1];
  if (a.type != b.type || (form == Form::Scalar && a.layout != b.layout))
    return std::nullopt;
  if (form != Form::Generic || loopsOfSecond(step).empty())
    return b.shape == a.shape || (form == Form::Generic && b.shape.empty())
               ? std::optional(result)
               : std::nullopt;
  for (auto [dim, loop] : llvm::enumerate(loopsOfSecond(step)))
    if (loop >= static_cast<int64_t>(a.shape.size()) || dim >= b.shape.size() ||
        b.shape[dim] != a.shape[loop])
      return std::nullopt;
  if (b.shape.size() != loopsOfSecond(step).size())
    return std::nullopt;
  return result;
}

void writeGeneric(const Step &step, const Operands &operands,
                  const ElementwiseRow &row, const ValueFacts &result,
                  RecipeWriter &writer) {
  std::size_t rank = result.shape.size();
  std::string identity = mapOf(rank, identityPermutation(rank).span());
  std::string maps = identity, names = writer.operand(0),
              types = writer.type(*operands[0]), type = nameOf(result.type),
              block = "%a: " + type, use = "%a";
  if (operands.size() == 2) {
    bool whole =
        operands[1]->shape.size() == rank && loopsOfSecond(step).empty();
    maps += ", " + (whole ? identity : mapOf(rank, loopsOfSecond(step)));
    names += ", " + writer.operand(1);
    types += ", " + writer.type(*operands[1]);
    block += ", %b: " + type;
    use += ", %b";
  }
  std::string empty = writer.empty(result);
  writer.line("{} = linalg.generic {{indexing_maps = [{}, {}], iterator_types "
              "= {}}} ins({} : {}) outs({} : {}) {{",
              writer.result(), maps, identity, parallelLoops(rank), names,
              types, empty, writer.type(result));
  writer.line("^bb0({}, %old: {}):", block, type);
  writer.line("  %new = {} {} : {}", row.op, use, type);
  writer.line("  linalg.yield %new : {}", type);
  writer.line("}} -> {}", writer.type(result));
}

void writeElementwise(const Step &step, const Operands &operands,
                      const ValueFacts &result, RecipeWriter &writer) {
  const ElementwiseRow &row = *rowOf(step, operands);
  if (formOf(step) == Form::Generic)
    return writeGeneric(step, operands, row, result, writer);
  std::string names = writer.operand(0), types = writer.type(*operands[0]);
  if (operands.size() == 2) {
    names += ", " + writer.operand(1);
    types += ", " + writer.type(*operands[1]);
  }
  if (formOf(step) == Form::Scalar)
    return writer.line("{} = {} {} : {}", writer.result(), row.op, names,
                       writer.type(result));
  std::string empty = writer.empty(result);
  writer.line("{} = {} ins({} : {}) outs({} : {}) -> {}", writer.result(),
              row.named, names, types, empty, writer.type(result),
              writer.type(result));
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

void proposeConvert(RecipeBuilder &builder, const StepKind &kind) {
  constexpr ElementType kTypes[] = {ElementType::F32,  ElementType::F16,
                                    ElementType::BF16, ElementType::F64,
                                    ElementType::I32,  ElementType::I8};
  Step step{&kind, {*builder.pick()}};
  step.type = kTypes[builder.below(std::size(kTypes))];
  builder.addWithLayout(std::move(step));
}

std::optional<ValueFacts> inferConvert(const Step &step,
                                       const Operands &operands, bool exact) {
  const ValueFacts &a = *operands[0];
  if (!conversion(a.type, step.type) || !mayReach(step.type, a.most, exact))
    return std::nullopt;
  return factsWith(step, a.shape, step.type, a.most);
}

void writeConvert(const Step &, const Operands &operands,
                  const ValueFacts &result, RecipeWriter &writer) {
  std::size_t rank = result.shape.size();
  std::string identity = mapOf(rank, identityPermutation(rank).span());
  std::string from = nameOf(operands[0]->type), to = nameOf(result.type);
  std::string empty = writer.empty(result);
  writer.line("{} = linalg.generic {{indexing_maps = [{}, {}], iterator_types "
              "= {}}} ins({} : {}) outs({} : {}) {{",
              writer.result(), identity, identity, parallelLoops(rank),
              writer.operand(0), writer.type(*operands[0]), empty,
              writer.type(result));
  writer.line("^bb0(%a: {}, %old: {}):", from, to);
  writer.line("  %new = {} %a : {} to {}",
              conversion(operands[0]->type, result.type), from, to);
  writer.line("  linalg.yield %new : {}", to);
  writer.line("}} -> {}", writer.type(result));
}

constexpr StepKind kKinds[] = {
    {"unary", proposeUnary, inferElementwise, writeElementwise},
    {"binary", proposeBinary, inferElementwise, writeElementwise},
    {"broadcasting", proposeBroadcasting, inferElementwise, writeElementwise},
    {"convert", proposeConvert, inferConvert, writeConvert},
};

} // namespace

std::span<const StepKind> elementwiseKinds() { return kKinds; }

} // namespace npu
