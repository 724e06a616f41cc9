// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// Steps of reductions, and of softmax as one operation and in its parts.

#include "npu-fuzz/Recipes/RecipeBuilder.h"
#include "npu-fuzz/Recipes/RecipeWriter.h"

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
constexpr int64_t kMaximum = 2;

/// Numbers: the row, then the dimensions.
std::span<const int64_t> dimsOf(const Step &step) {
  return std::span(step.numbers).subspan(1);
}

void proposeReduce(RecipeBuilder &builder, const StepKind &kind) {
  auto value = builder.pickRanked();
  if (!value)
    return;
  Step step{&kind, {}, {builder.below(std::size(kCombiners))}};
  auto rank = static_cast<int64_t>(builder[*value].shape.size());
  llvm::append_range(step.numbers, builder.someDims(rank));
  if (kCombiners[step.numbers[0]].isSum)
    value = builder.summable(*value, dimsOf(step));
  step.operands = {*value};
  builder.addWithLayout(std::move(step));
}

std::optional<ValueFacts> inferReduce(const Step &step,
                                      const Operands &operands, bool exact) {
  const ValueFacts &value = *operands[0];
  const Combiner &combiner = kCombiners[step.numbers[0]];
  double terms = 1;
  Extents shape;
  for (std::size_t dim = 0; dim < value.shape.size(); ++dim)
    if (llvm::is_contained(dimsOf(step), static_cast<int64_t>(dim)))
      terms *= static_cast<double>(value.shape[dim]);
    else
      shape.push_back(value.shape[dim]);
  if (combiner.isSum && !sumIsSafe(value, dimsOf(step), exact))
    return std::nullopt;
  double most = value.most * (combiner.isSum ? terms : 1) + 9;
  if (!mayReach(value.type, most, exact))
    return std::nullopt;
  return factsWith(step, shape, value.type, most);
}

void writeReduce(const Step &step, const Operands &operands,
                 const ValueFacts &result, RecipeWriter &writer) {
  const Combiner &combiner = kCombiners[step.numbers[0]];
  std::string init = writer.filled(result, combiner.initial);
  writer.line("{} = linalg.reduce {{ {} }} ins({} : {}) outs({} : {}) "
              "dimensions = {}",
              writer.result(),
              isFloat(result.type) ? combiner.forFloats : combiner.forIntegers,
              writer.operand(0), writer.type(*operands[0]), init,
              writer.type(result), listOf(dimsOf(step)));
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
void proposeSoftmaxInParts(RecipeBuilder &builder, const StepKind &kind) {
  int64_t dim = 0;
  std::optional<unsigned> value = softmaxInput(builder, dim);
  if (!value)
    return;
  std::vector<int64_t> others;
  for (int64_t other = 0; other < std::ssize(builder[*value].shape); ++other)
    if (other != dim)
      others.push_back(other);
  auto elementwise = [&](const char *name,
                         const std::vector<unsigned> &operands,
                         std::vector<int64_t> numbers) {
    if (operands.size() == 2)
      numbers.insert(numbers.end(), others.begin(), others.end());
    return builder.addWithLayout(
        {&kindNamed(elementwiseKinds(), name), operands, numbers});
  };
  // The numbers are rows of the tables in ElementwiseRows.cpp; form 0 is a
  // generic.
  auto most = builder.addWithLayout({&kind, {*value}, {kMaximum, dim}});
  if (!most)
    return;
  auto shifted = elementwise("broadcasting", {*value, *most}, {1, 0});
  if (!shifted)
    return;
  auto exponentials = elementwise("unary", {*shifted}, {3, 0});
  if (!exponentials)
    return;
  unsigned summed = builder.summable(*exponentials, std::span(&dim, 1));
  auto sum = builder.addWithLayout({&kind, {summed}, {kSum, dim}});
  if (sum)
    elementwise("broadcasting", {*exponentials, *sum}, {5, 0});
}

constexpr StepKind kKinds[] = {
    {"reduce", proposeReduce, inferReduce, writeReduce},
    {"reduce", proposeReduce, inferReduce, writeReduce},
    {"softmax", proposeSoftmax, inferSoftmax, writeSoftmax},
    {"reduce", proposeSoftmaxInParts, inferReduce, writeReduce},
};

} // namespace

std::span<const StepKind> reductionKinds() { return kKinds; }

} // namespace npu
