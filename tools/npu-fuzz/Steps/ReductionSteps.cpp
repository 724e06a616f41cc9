// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// Steps of reductions, and of softmax as one operation and in its parts.

#include "npu-fuzz/Recipes/NestRules.h"
#include "npu-fuzz/Recipes/RecipeWriter.h"
#include "npu-fuzz/Steps/NamedSteps.h"

namespace npu {
namespace {

struct Combiner {
  const char *forFloats;
  const char *forIntegers;
  bool isSum;
  /// The initial value of the accumulator.
  int initial;
};
constexpr Combiner kCombiners[] = {
    {"arith.addf", "arith.addi", true, 0},
    {"arith.addf", "arith.addi", true, 3},
    {"arith.maximumf", "arith.maxsi", false, -9},
    {"arith.minimumf", "arith.minsi", false, 9},
};
constexpr int64_t kSum = 0;

void proposeReduce(RecipeBuilder &builder, const StepKind &) {
  auto value = builder.pickRanked();
  if (!value)
    return;
  int64_t row = builder.below(std::size(kCombiners));
  std::vector<int64_t> dims =
      builder.someDims(std::ssize(builder[*value].shape));
  if (kCombiners[row].isSum)
    value = builder.summable(*value, dims);
  builder.addWithLayout(reduceStep(builder, *value, row, dims));
}

/// A value that softmax accepts, and a dimension of it.
std::optional<unsigned> softmaxInput(RecipeBuilder &builder, int64_t &dim) {
  auto value = builder.pick([](const ValueFacts &value) {
    return !value.shape.empty() && isFloat(value.type);
  });
  if (value && !builder.exact())
    dim = builder.below(static_cast<int64_t>(builder[*value].shape.size()));
  return builder.exact() ? std::nullopt : value;
}

void proposeSoftmax(RecipeBuilder &builder, const StepKind &kind) {
  int64_t dim = 0;
  std::optional<unsigned> value = softmaxInput(builder, dim);
  if (!value)
    return;
  Step step{&kind, {builder.summable(*value, std::span(&dim, 1))}, {dim}};
  builder.addWithLayout(std::move(step));
}

std::optional<ValueFacts> inferSoftmax(const Step &step,
                                       const Operands &operands, bool exact) {
  const ValueFacts &value = *operands[0];
  if (exact || !isFloat(value.type) ||
      step.numbers[0] >= static_cast<int64_t>(value.shape.size()))
    return std::nullopt;
  return factsWith(step, value.shape, value.type, 1);
}

void writeSoftmax(const Step &step, const Operands &operands,
                  const ValueFacts &result, RecipeWriter &writer) {
  std::string empty = writer.empty(result);
  writer.line("{} = linalg.softmax dimension({}) ins({} : {}) outs({} : {}) "
              "-> {}",
              writer.result(), step.numbers[0], writer.operand(0),
              writer.type(*operands[0]), empty, writer.type(result),
              writer.type(result));
}

/// Proposes exp(x - max) / sum(exp(x - max)): five steps, some of which use one
/// value.
void proposeSoftmaxInParts(RecipeBuilder &builder, const StepKind &) {
  int64_t dim = 0;
  std::optional<unsigned> value = softmaxInput(builder, dim);
  if (!value)
    return;
  std::optional<std::vector<int64_t>> rest =
      others(std::ssize(builder[*value].shape), std::span(&dim, 1));
  // The numbers are rows of the tables in ElementwiseRows.cpp.
  auto elementwise = [&](std::vector<unsigned> operands, int64_t row) {
    bool two = operands.size() == 2;
    return builder.addWithLayout(elementwiseStep(
        builder, std::move(operands), row, 0, two ? rest : std::nullopt));
  };
  auto most = builder.addWithLayout(
      reduceStep(builder, *value, kMaximumRow, std::span(&dim, 1)));
  if (!most)
    return;
  auto shifted = elementwise({*value, *most}, 1);
  if (!shifted)
    return;
  auto exponentials = elementwise({*shifted}, 3);
  if (!exponentials)
    return;
  unsigned summed = builder.summable(*exponentials, std::span(&dim, 1));
  auto sum = builder.addWithLayout(
      reduceStep(builder, summed, kSum, std::span(&dim, 1)));
  if (sum)
    elementwise({*exponentials, *sum}, 5);
}

constexpr StepKind kKinds[] = {
    {"reduce", proposeReduce, nullptr, nullptr},
    {"reduce", proposeReduce, nullptr, nullptr},
    {"softmax", proposeSoftmax, inferSoftmax, writeSoftmax},
    {"softmax in parts", proposeSoftmaxInParts, nullptr, nullptr},
};

} // namespace

std::span<const StepKind> reductionKinds() { return kKinds; }

Step reduceStep(const RecipeBuilder &builder, unsigned value, int64_t row,
                std::span<const int64_t> dims) {
  const Combiner &combiner = kCombiners[row];
  ElementType type = builder[value].type;
  auto rank = std::ssize(builder[value].shape);
  Step step = elementwise(
      {value}, rank,
      simple(isFloat(type) ? combiner.forFloats : combiner.forIntegers,
             {input(type, 0), accumulator(type)}));
  step.nest->form = LoopNest::Reduce;
  step.nest->begins = {number(type, combiner.initial)};
  step.nest->outputs = {plainIndices(others(rank, dims))};
  return step;
}

} // namespace npu
