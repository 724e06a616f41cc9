// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// Steps of minima and maxima of floats whose result depends on the operation:
// of both zeros, and of a number and NaN.

#include "npu-fuzz/Recipes/NestRules.h"
#include "npu-fuzz/Recipes/RecipeWriter.h"
#include "npu-fuzz/Steps/NamedSteps.h"

namespace npu {
namespace {

constexpr const char *kExtremes[] = {"arith.minimumf", "arith.maximumf",
                                     "arith.minnumf", "arith.maxnumf"};

/// The initial values of reductions.
constexpr double kInitial[] = {0.0, -0.0, -3.0, 5.0};

std::optional<unsigned> pickFloats(RecipeBuilder &builder) {
  return builder.pick([](const ValueFacts &value) {
    return !value.shape.empty() && isFloat(value.type);
  });
}

/// Proposes a tensor of both zeros. Numbers: how they are mixed, then the
/// shape.
void proposeZeros(RecipeBuilder &builder, const StepKind &kind) {
  if (!isFloat(builder.mainType()))
    return;
  Step step{&kind, {}, {builder.between(1, 6)}};
  step.type = builder.mainType();
  for (int64_t rank = builder.between(1, 3); rank > 0; --rank)
    step.numbers.push_back(builder.between(1, 4));
  builder.addWithLayout(std::move(step));
}

std::optional<ValueFacts> inferZeros(const Step &step, const Operands &, bool) {
  return isFloat(step.type)
             ? std::optional(
                   factsWith(step, Extents(std::span(step.numbers).subspan(1)),
                             step.type, 1))
             : std::nullopt;
}

void writeZeros(const Step &step, const Operands &, const ValueFacts &result,
                RecipeWriter &writer) {
  int64_t next = 0;
  auto entry = [&] {
    int64_t which = next++ * step.numbers[0] % 7 % 4;
    return std::string(which == 3 ? "1.0" : which % 2 ? "0.0" : "-0.0");
  };
  writer.line("{} = arith.constant dense<{}> : {}", writer.result(),
              nested(result.shape.span(), entry), writer.type(result));
}

void proposeExtreme(RecipeBuilder &builder, const StepKind &) {
  auto a = pickFloats(builder);
  if (!a)
    return;
  const ValueFacts first = builder[*a];
  bool onTensors = builder.oneIn(2);
  const char *op = kExtremes[builder.below(std::size(kExtremes))];
  std::vector<unsigned> operands = {
      *a, onTensors ? builder.valueLike(first)
                    : builder.valueOf(first.shape, first.type)};
  builder.shuffle(operands);
  builder.addWithLayout(
      entryByEntry(builder, std::move(operands), onTensors,
                   simple(op, {input(first.type, 0), input(first.type, 1)})));
}

void proposeOver(RecipeBuilder &builder, const StepKind &) {
  auto value = pickFloats(builder);
  if (!value)
    return;
  const char *op = kExtremes[builder.below(std::size(kExtremes))];
  double begin = kInitial[builder.below(std::size(kInitial))];
  ElementType type = builder[*value].type;
  auto rank = std::ssize(builder[*value].shape);
  Step step = elementwise({*value}, rank,
                          simple(op, {input(type, 0), accumulator(type)}));
  step.nest->form = LoopNest::Reduce;
  step.nest->begins = {number(type, begin)};
  step.nest->outputs = {plainIndices(others(rank, builder.someDims(rank)))};
  builder.addWithLayout(std::move(step));
}

constexpr StepKind kKinds[] = {
    {"zeros", proposeZeros, inferZeros, writeZeros},
    {"extreme", proposeExtreme, nullptr, nullptr},
    {"extreme over", proposeOver, nullptr, nullptr},
};

} // namespace

std::span<const StepKind> extremeKinds() { return kKinds; }

} // namespace npu
