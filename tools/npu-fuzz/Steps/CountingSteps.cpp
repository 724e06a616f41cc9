// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// Steps of linalg.map, linalg.reduce and generics with reductions whose bodies
// use the position of the iteration.

#include "npu-fuzz/Recipes/ElementwiseRows.h"
#include "npu-fuzz/Recipes/RecipeBuilder.h"
#include "npu-fuzz/Recipes/RecipeWriter.h"

#include <fmt/ranges.h>

namespace npu {
namespace {

/// How a body uses the positions of the iteration: it adds one to the element;
/// it takes zero instead of the element where one position is below another
/// one, or is odd.
enum Counting : int64_t { Adds, Compares, Alternates, CountingCount };

/// Writes the value so computed as %counted.
void writeCounting(int64_t form, int64_t first, int64_t second,
                   ElementType element, RecipeWriter &writer) {
  std::string type = nameOf(element);
  writer.line("  %first = linalg.index {} : index", first);
  if (form == Adds && isFloat(element)) {
    writer.line("  %number = arith.index_cast %first : index to i32");
    writer.line("  %count = arith.sitofp %number : i32 to {}", type);
    writer.line("  %counted = arith.addf %a, %count : {}", type);
    return;
  }
  if (form == Adds) {
    writer.line("  %count = arith.index_cast %first : index to {}", type);
    writer.line("  %counted = arith.addi %a, %count : {}", type);
    return;
  }
  writer.line("  %second = linalg.index {} : index", second);
  if (form == Alternates) {
    writer.line("  %two = arith.constant 2 : index");
    writer.line("  %one = arith.constant 1 : index");
    writer.line("  %sum = arith.addi %first, %second : index");
    writer.line("  %shifted = arith.addi %sum, %one : index");
    writer.line("  %odd = arith.remui {}, %two : index",
                first == second ? "%first" : "%shifted");
    writer.line("  %which = arith.cmpi eq, %odd, %one : index");
  } else {
    writer.line("  %limit = arith.constant 2 : index");
    writer.line("  %which = arith.cmpi sle, %first, {} : index",
                first == second ? "%limit" : "%second");
  }
  writer.line("  %zero = arith.constant {}", typedLiteral(element, 0));
  writer.line("  %counted = arith.select %which, %a, %zero : {}", type);
}

/// A bound of that value's magnitude.
double mostCounted(const ValueFacts &value, int64_t form) {
  double longest = 1;
  for (int64_t extent : value.shape)
    longest = std::max(longest, static_cast<double>(extent));
  return value.most + (form == Adds ? longest : 0);
}

/// Numbers: the form, two loops, and the row that combines the count with the
/// other operand, if there is one.
void proposeMap(RecipeBuilder &builder, const StepKind &kind) {
  auto value = builder.pickRanked();
  if (!value)
    return;
  const ValueFacts facts = builder[*value];
  auto rank = std::ssize(facts.shape);
  auto rows = std::ssize(rowsFor(facts.type, true));
  Step step{&kind,
            {*value},
            {builder.below(CountingCount), builder.below(rank),
             builder.below(rank), builder.below(rows)}};
  if (builder.oneIn(2))
    step.operands.push_back(builder.valueOf(facts.shape, facts.type));
  builder.addWithLayout(std::move(step));
}

std::optional<ValueFacts> inferMap(const Step &step, const Operands &operands,
                                   bool exact) {
  const ValueFacts &value = *operands[0];
  auto rank = std::ssize(value.shape);
  if (step.numbers[1] >= rank || step.numbers[2] >= rank || value.scalar)
    return std::nullopt;
  double most = mostCounted(value, step.numbers[0]);
  if (operands.size() == 2) {
    auto rows = rowsFor(value.type, true);
    if (operands[1]->shape != value.shape || operands[1]->type != value.type ||
        step.numbers[3] >= std::ssize(rows))
      return std::nullopt;
    const ElementwiseRow &row = rows[step.numbers[3]];
    if (exact && !row.isExact)
      return std::nullopt;
    most = row.most(most, operands[1]->most);
  }
  if (!mayReach(value.type, most, exact))
    return std::nullopt;
  return factsWith(step, value.shape, value.type, most);
}

void writeMap(const Step &step, const Operands &operands,
              const ValueFacts &result, RecipeWriter &writer) {
  bool two = operands.size() == 2;
  std::string empty = writer.empty(result), element = nameOf(result.type),
              names = writer.operand(0), types = writer.type(*operands[0]);
  if (two) {
    names += ", " + writer.operand(1);
    types += ", " + writer.type(*operands[1]);
  }
  writer.line("{} = linalg.map ins({} : {}) outs({} : {})", writer.result(),
              names, types, empty, writer.type(result));
  writer.line("(%a: {0}, {1}%old: {0}) {{", element,
              two ? "%b: " + element + ", " : "");
  writeCounting(step.numbers[0], step.numbers[1], step.numbers[2], result.type,
                writer);
  if (two)
    writer.line("  %new = {} %counted, %b : {}",
                rowsFor(result.type, true)[step.numbers[3]].op, element);
  writer.line("  linalg.yield {} : {}", two ? "%new" : "%counted", element);
  writer.line("}}");
}

/// Numbers: the form, two loops; whether the reduction is a maximum and not a
/// sum; whether it is written as a generic, whose result has its dimensions in
/// reverse order; then the dimensions that are reduced.
std::span<const int64_t> dimsOf(const Step &step) {
  return std::span(step.numbers).subspan(5);
}

bool takesMost(const Step &step) { return step.numbers[3]; }
bool isGeneric(const Step &step) { return step.numbers[4]; }

/// The loops that are not reduced, in the order of the result.
std::vector<int64_t> keptBy(const Step &step, std::size_t rank) {
  std::vector<int64_t> kept;
  for (int64_t dim = 0; dim < static_cast<int64_t>(rank); ++dim)
    if (!llvm::is_contained(dimsOf(step), dim))
      kept.push_back(dim);
  if (isGeneric(step))
    std::reverse(kept.begin(), kept.end());
  return kept;
}

void proposeReduce(RecipeBuilder &builder, const StepKind &kind) {
  auto value = builder.pickRanked();
  if (!value)
    return;
  auto rank = std::ssize(builder[*value].shape);
  Step step{&kind,
            {},
            {builder.below(CountingCount), builder.below(rank),
             builder.below(rank), builder.below(2), builder.below(2)}};
  llvm::append_range(step.numbers, builder.someDims(rank));
  if (!takesMost(step))
    value = builder.summable(*value, dimsOf(step));
  step.operands = {*value};
  builder.addWithLayout(std::move(step));
}

std::optional<ValueFacts> inferReduce(const Step &step,
                                      const Operands &operands, bool exact) {
  const ValueFacts &value = *operands[0];
  auto rank = std::ssize(value.shape);
  if (step.numbers[1] >= rank || step.numbers[2] >= rank || value.scalar)
    return std::nullopt;
  double terms = 1;
  for (int64_t dim : dimsOf(step)) {
    if (dim >= rank)
      return std::nullopt;
    terms *= static_cast<double>(value.shape[dim]);
  }
  if (!takesMost(step) && !sumIsSafe(value, dimsOf(step), exact))
    return std::nullopt;
  double most =
      mostCounted(value, step.numbers[0]) * (takesMost(step) ? 1 : terms) + 9;
  if (!mayReach(value.type, most, exact))
    return std::nullopt;
  Extents shape;
  for (int64_t dim : keptBy(step, value.shape.size()))
    shape.push_back(value.shape[dim]);
  return factsWith(step, shape, value.type, most);
}

void writeReduce(const Step &step, const Operands &operands,
                 const ValueFacts &result, RecipeWriter &writer) {
  std::size_t loops = operands[0]->shape.size();
  std::string init = writer.filled(result, takesMost(step) ? -9 : 0),
              element = nameOf(result.type), from = writer.type(*operands[0]),
              to = writer.type(result);
  if (isGeneric(step)) {
    std::vector<std::string> iterators(loops, "\"parallel\"");
    for (int64_t dim : dimsOf(step))
      iterators[dim] = "\"reduction\"";
    writer.line("{} = linalg.generic {{indexing_maps = [{}, {}], "
                "iterator_types = [{}]}} ins({} : {}) outs({} : {}) {{",
                writer.result(),
                mapOf(loops, identityPermutation(loops).span()),
                mapOf(loops, keptBy(step, loops)), fmt::join(iterators, ", "),
                writer.operand(0), from, init, to);
    writer.line("^bb0(%a: {0}, %old: {0}):", element);
  } else {
    writer.line("{} = linalg.reduce ins({} : {}) outs({} : {}) dimensions = {}",
                writer.result(), writer.operand(0), from, init, to,
                listOf(dimsOf(step)));
    writer.line("(%a: {0}, %old: {0}) {{", element);
  }
  writeCounting(step.numbers[0], step.numbers[1], step.numbers[2], result.type,
                writer);
  const char *op = isFloat(result.type) ? takesMost(step) ? "maximumf" : "addf"
                   : takesMost(step)    ? "maxsi"
                                        : "addi";
  writer.line("  %new = arith.{} %counted, %old : {}", op, element);
  writer.line("  linalg.yield %new : {}", element);
  if (isGeneric(step))
    writer.line("}} -> {}", to);
  else
    writer.line("}}");
}

constexpr StepKind kKinds[] = {
    {"counting map", proposeMap, inferMap, writeMap},
    {"counting reduce", proposeReduce, inferReduce, writeReduce},
    {"counting reduce", proposeReduce, inferReduce, writeReduce},
};

} // namespace

std::span<const StepKind> countingKinds() { return kKinds; }

} // namespace npu
