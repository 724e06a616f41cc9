// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// Steps of linalg.map, linalg.reduce and generics with reductions whose bodies
// use the position of the iteration.

#include "npu-fuzz/Recipes/ElementwiseRows.h"
#include "npu-fuzz/Recipes/NestRules.h"
#include "npu-fuzz/Recipes/RecipeBuilder.h"

namespace npu {
namespace {

/// How a body uses the positions of the iteration: it adds one to the element;
/// it takes zero instead of the element where one position is below another
/// one, or is odd.
enum Counting : int64_t { Adds, Compares, Alternates, CountingCount };

Expr counted(int64_t form, int64_t first, int64_t second, ElementType type) {
  Expr entry = input(type, 0), a = position(first), b = position(second);
  if (form == Adds)
    return simple(isFloat(type) ? "arith.addf" : "arith.addi",
                  {entry, positionAs(type, a)});
  Expr which = comparison("sle", a, first == second ? indexNumber(2) : b);
  if (form == Alternates) {
    Expr sum =
        simple("arith.addi", {simple("arith.addi", {a, b}), indexNumber(1)});
    which = comparison(
        "eq",
        division("arith.remui", first == second ? a : sum, indexNumber(2)),
        indexNumber(1));
  }
  return choose(which, entry, number(type, 0));
}

void proposeMap(RecipeBuilder &builder, const StepKind &) {
  auto value = builder.pickRanked();
  if (!value)
    return;
  const ValueFacts facts = builder[*value];
  auto rank = std::ssize(facts.shape);
  auto rows = rowsFor(facts.type, true);
  int64_t form = builder.below(CountingCount), first = builder.below(rank),
          second = builder.below(rank), row = builder.below(std::ssize(rows));
  Expr body = counted(form, first, second, facts.type);
  std::vector<unsigned> operands = {*value};
  if (builder.oneIn(2)) {
    operands.push_back(builder.valueOf(facts.shape, facts.type));
    body = simple(rows[row].op, {body, input(facts.type, 1)});
  }
  Step step = elementwise(std::move(operands), rank, std::move(body));
  step.nest->form = LoopNest::Map;
  builder.addWithLayout(std::move(step));
}

void proposeReduce(RecipeBuilder &builder, const StepKind &) {
  auto value = builder.pickRanked();
  if (!value)
    return;
  ElementType type = builder[*value].type;
  auto rank = std::ssize(builder[*value].shape);
  int64_t form = builder.below(CountingCount), first = builder.below(rank),
          second = builder.below(rank);
  bool takesMost = builder.below(2) != 0, isGeneric = builder.below(2) != 0;
  std::vector<int64_t> dims = builder.someDims(rank);
  if (!takesMost)
    value = builder.summable(*value, dims);
  const char *op = isFloat(type) ? takesMost ? "arith.maximumf" : "arith.addf"
                   : takesMost   ? "arith.maxsi"
                                 : "arith.addi";
  Step step = elementwise(
      {*value}, rank,
      simple(op, {counted(form, first, second, type), accumulator(type)}));
  LoopNest &nest = *step.nest;
  nest.form = isGeneric ? LoopNest::Generic : LoopNest::Reduce;
  nest.begins = {number(type, takesMost ? -9 : 0)};
  // The result of a generic has its dimensions in reverse order.
  nest.outputs = {plainIndices(others(rank, dims))};
  if (isGeneric)
    std::reverse(nest.outputs[0].begin(), nest.outputs[0].end());
  builder.addWithLayout(std::move(step));
}

constexpr StepKind kKinds[] = {
    {"counting map", proposeMap, nullptr, nullptr},
    {"counting reduce", proposeReduce, nullptr, nullptr},
    {"counting reduce", proposeReduce, nullptr, nullptr},
};

} // namespace

std::span<const StepKind> countingKinds() { return kKinds; }

} // namespace npu
