// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// Steps with two results, each with a layout of its own: two functions of the
// same elements, and a maximum beside its position.

#include "npu-fuzz/Recipes/ElementwiseRows.h"
#include "npu-fuzz/Recipes/RecipeBuilder.h"
#include "npu-fuzz/Recipes/RecipeWriter.h"

#include <fmt/ranges.h>

namespace npu {
namespace {

/// The facts of the first result, with those of the second attached.
ValueFacts pairOf(ValueFacts first, ValueFacts second) {
  first.second = std::make_shared<const ValueFacts>(std::move(second));
  return first;
}

/// Operands: one or two inputs of one shape, then two outputs if these are
/// read. Numbers: how many inputs; a row for each result; then the permutation
/// of the second result.
bool accumulates(const Step &step) {
  return static_cast<int64_t>(step.operands.size()) > step.numbers[0];
}

std::span<const int64_t> dimsOfSecond(const Step &step) {
  return std::span(step.numbers).subspan(3);
}

void proposeTwo(RecipeBuilder &builder, const StepKind &kind) {
  auto value = builder.pickFilled();
  if (!value)
    return;
  const ValueFacts first = builder[*value];
  auto rows = std::ssize(rowsFor(first.type, true));
  Step step{&kind, {*value}, {1, builder.below(rows), builder.below(rows)}};
  Permutation dims = identityPermutation(first.shape.size());
  if (builder.oneIn(3))
    dims = builder.permutation(first.shape.size());
  step.numbers.insert(step.numbers.end(), dims.begin(), dims.end());
  Extents other = permute(first.shape, dims);
  if (builder.oneIn(2)) {
    step.operands.push_back(builder.valueOf(first.shape, first.type));
    ++step.numbers[0];
  }
  if (builder.oneIn(2)) {
    step.operands.push_back(builder.valueOf(first.shape, first.type));
    step.operands.push_back(builder.valueOf(other, first.type));
  } else {
    step.layout = builder.layoutLike(first, first.shape);
    step.secondLayout = builder.layout(other);
  }
  builder.addPair(std::move(step));
}

std::optional<ValueFacts> inferTwo(const Step &step, const Operands &operands,
                                   bool exact) {
  const ValueFacts &a = *operands[0];
  auto rows = rowsFor(a.type, true);
  if (dimsOfSecond(step).size() != a.shape.size())
    return std::nullopt;
  Extents other = permute(a.shape, Permutation(dimsOfSecond(step)));
  double most = 0;
  for (const ValueFacts *operand : operands) {
    if (operand->type != a.type)
      return std::nullopt;
    most = std::max(most, operand->most);
  }
  if (step.numbers[0] == 2 && operands[1]->shape != a.shape)
    return std::nullopt;
  ValueFacts results[2];
  for (int i = 0; i < 2; ++i) {
    const ElementwiseRow &row = rows[step.numbers[1 + i]];
    double result = row.most(most, most);
    if ((exact && !row.isExact) || !mayReach(a.type, result, exact))
      return std::nullopt;
    results[i] = factsWith(step, i ? other : a.shape, a.type, result);
    results[i].layout = i ? step.secondLayout : step.layout;
    if (!accumulates(step))
      continue;
    const ValueFacts &init = *operands[operands.size() - 2 + i];
    if (init.shape != results[i].shape)
      return std::nullopt;
    results[i].layout = init.layout;
  }
  return pairOf(results[0], results[1]);
}

void writeTwo(const Step &step, const Operands &operands,
              const ValueFacts &result, RecipeWriter &writer) {
  const ValueFacts &second = *result.second;
  std::size_t rank = result.shape.size();
  std::string identity = mapOf(rank, identityPermutation(rank).span());
  bool reads = accumulates(step), two = step.numbers[0] == 2;
  std::string inits[2];
  for (int i = 0; i < 2; ++i)
    inits[i] = reads ? writer.operand(operands.size() - 2 + i)
                     : writer.empty(i ? second : result);
  std::string names = writer.operand(0), types = writer.type(*operands[0]),
              element = nameOf(result.type);
  if (two) {
    names += ", " + writer.operand(1);
    types += ", " + writer.type(*operands[1]);
  }
  writer.line("{}:2 = linalg.generic {{indexing_maps = [{}{}, {}, {}], "
              "iterator_types = {}}} ins({} : {}) outs({}, {} : {}, {}) {{",
              writer.result(), identity, two ? ", " + identity : "", identity,
              mapOf(rank, dimsOfSecond(step)), parallelLoops(rank), names,
              types, inits[0], inits[1], writer.type(result),
              writer.type(second));
  writer.line("^bb0(%a: {0}{1}, %old0: {0}, %old1: {0}):", element,
              two ? ", %b: " + element : "");
  auto rows = rowsFor(result.type, true);
  for (int i = 0; i < 2; ++i)
    writer.line("  %new{0} = {1} {2}, {3} : {4}", i,
                rows[step.numbers[1 + i]].op, i && two ? "%b" : "%a",
                reads ? fmt::format("%old{}", i)
                : two ? "%b"
                      : "%a",
                element);
  writer.line("  linalg.yield %new0, %new1 : {0}, {0}", element);
  writer.line("}} -> ({}, {})", writer.type(result), writer.type(second));
  writer.callResult(writer.result() + "#0");
}

/// Numbers: the dimension.
void proposeArgMost(RecipeBuilder &builder, const StepKind &kind) {
  auto value = builder.pickFilled();
  if (!value || builder[*value].type == ElementType::Bool)
    return;
  const ValueFacts facts = builder[*value];
  Step step{&kind, {*value}, {builder.below(std::ssize(facts.shape))}};
  Extents shape;
  for (int64_t dim = 0; dim < std::ssize(facts.shape); ++dim)
    if (dim != step.numbers[0])
      shape.push_back(facts.shape[dim]);
  step.layout = builder.layout(shape);
  step.secondLayout = builder.oneIn(2) ? step.layout : builder.layout(shape);
  builder.addPair(std::move(step));
}

std::optional<ValueFacts> inferArgMost(const Step &step,
                                       const Operands &operands, bool) {
  const ValueFacts &value = *operands[0];
  if (step.numbers[0] >= std::ssize(value.shape))
    return std::nullopt;
  Extents shape;
  for (int64_t dim = 0; dim < std::ssize(value.shape); ++dim)
    if (dim != step.numbers[0])
      shape.push_back(value.shape[dim]);
  ValueFacts first =
      factsWith(step, shape, value.type, std::max(value.most, 100.0));
  ValueFacts second = factsWith(step, shape, ElementType::I32, 0x1p31);
  second.layout = step.secondLayout;
  return pairOf(std::move(first), std::move(second));
}

void writeArgMost(const Step &step, const Operands &operands,
                  const ValueFacts &result, RecipeWriter &writer) {
  const ValueFacts &second = *result.second;
  std::size_t loops = operands[0]->shape.size();
  std::vector<int64_t> kept;
  std::vector<std::string> iterators(loops, "\"parallel\"");
  iterators[step.numbers[0]] = "\"reduction\"";
  for (std::size_t loop = 0; loop < loops; ++loop)
    if (static_cast<int64_t>(loop) != step.numbers[0])
      kept.push_back(static_cast<int64_t>(loop));
  std::string most = writer.filled(result, -100),
              where = writer.filled(second, -1), element = nameOf(result.type);
  std::string to = mapOf(loops, kept);
  writer.line("{}:2 = linalg.generic {{indexing_maps = [{}, {}, {}], "
              "iterator_types = [{}]}} ins({} : {}) outs({}, {} : {}, {}) {{",
              writer.result(), mapOf(loops, identityPermutation(loops).span()),
              to, to, fmt::join(iterators, ", "), writer.operand(0),
              writer.type(*operands[0]), most, where, writer.type(result),
              writer.type(second));
  writer.line("^bb0(%a: {0}, %most: {0}, %where: i32):", element);
  writer.line("  %i = linalg.index {} : index", step.numbers[0]);
  writer.line("  %here = arith.index_cast %i : index to i32");
  writer.line("  %larger = arith.cmp{} %a, %most : {}",
              isFloat(result.type) ? "f ogt," : "i sgt,", element);
  writer.line("  %new = arith.select %larger, %a, %most : {}", element);
  writer.line("  %at = arith.select %larger, %here, %where : i32");
  writer.line("  linalg.yield %new, %at : {}, i32", element);
  writer.line("}} -> ({}, {})", writer.type(result), writer.type(second));
  writer.callResult(writer.result() + "#0");
}

constexpr StepKind kKinds[] = {
    {"two results", proposeTwo, inferTwo, writeTwo},
    {"two results", proposeTwo, inferTwo, writeTwo},
    {"arg max", proposeArgMost, inferArgMost, writeArgMost},
};

} // namespace

std::span<const StepKind> pairKinds() { return kKinds; }

} // namespace npu
