// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// Steps of minima and maxima of floats whose result depends on the operation:
// of both zeros, and of a number and NaN.

#include "npu-fuzz/Recipes/ElementwiseRows.h"
#include "npu-fuzz/Recipes/RecipeBuilder.h"
#include "npu-fuzz/Recipes/RecipeWriter.h"

namespace npu {
namespace {

constexpr const char *kExtremes[] = {"arith.minimumf", "arith.maximumf",
                                     "arith.minnumf", "arith.maxnumf"};

/// The initial values of reductions.
constexpr const char *kInitial[] = {"0.0", "-0.0", "-3.0", "5.0"};

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

/// Proposes an extremum of two tensors. Numbers: the row; the form, a generic
/// or an operation on tensors.
void proposeExtreme(RecipeBuilder &builder, const StepKind &kind) {
  auto a = pickFloats(builder);
  if (!a)
    return;
  const ValueFacts first = builder[*a];
  auto form =
      static_cast<int64_t>(builder.oneIn(2) ? Form::Scalar : Form::Generic);
  Step step{&kind, {*a}, {builder.below(std::size(kExtremes)), form}};
  step.operands.push_back(form == static_cast<int64_t>(Form::Scalar)
                              ? builder.valueLike(first)
                              : builder.valueOf(first.shape, first.type));
  builder.shuffle(step.operands);
  builder.addWithLayout(std::move(step));
}

std::optional<ValueFacts> inferExtreme(const Step &step,
                                       const Operands &operands, bool) {
  const ValueFacts &a = *operands[0], &b = *operands[1];
  bool asTensors = step.numbers[1] == static_cast<int64_t>(Form::Scalar);
  if (a.shape != b.shape || a.type != b.type || !isFloat(a.type) || a.scalar ||
      b.scalar || (asTensors && a.layout != b.layout))
    return std::nullopt;
  ValueFacts result =
      factsWith(step, a.shape, a.type, std::max(a.most, b.most));
  if (asTensors)
    result.layout = a.layout;
  return result;
}

void writeExtreme(const Step &step, const Operands &operands,
                  const ValueFacts &result, RecipeWriter &writer) {
  const char *op = kExtremes[step.numbers[0]];
  std::string type = writer.type(result), element = nameOf(result.type);
  if (step.numbers[1] == static_cast<int64_t>(Form::Scalar))
    return writer.line("{} = {} {}, {} : {}", writer.result(), op,
                       writer.operand(0), writer.operand(1), type);
  std::size_t rank = result.shape.size();
  std::string identity = mapOf(rank, identityPermutation(rank).span()),
              empty = writer.empty(result);
  writer.line("{0} = linalg.generic {{indexing_maps = [{1}, {1}, {1}], "
              "iterator_types = {2}}} ins({3}, {4} : {5}, {6}) outs({7} : {8}) "
              "{{",
              writer.result(), identity, parallelLoops(rank), writer.operand(0),
              writer.operand(1), writer.type(*operands[0]),
              writer.type(*operands[1]), empty, type);
  writer.line("^bb0(%a: {0}, %b: {0}, %old: {0}):", element);
  writer.line("  %new = {} %a, %b : {}", op, element);
  writer.line("  linalg.yield %new : {}", element);
  writer.line("}} -> {}", type);
}

/// The dimensions of a reduction. Numbers: the row of the table, the initial
/// value, the dimensions.
std::span<const int64_t> dimsOf(const Step &step) {
  return std::span(step.numbers).subspan(2);
}

void proposeOver(RecipeBuilder &builder, const StepKind &kind) {
  auto value = pickFloats(builder);
  if (!value)
    return;
  Step step{&kind,
            {*value},
            {builder.below(std::size(kExtremes)),
             builder.below(std::size(kInitial))}};
  auto rank = std::ssize(builder[*value].shape);
  llvm::append_range(step.numbers, builder.someDims(rank));
  builder.addWithLayout(std::move(step));
}

std::optional<ValueFacts> inferOver(const Step &step, const Operands &operands,
                                    bool) {
  const ValueFacts &value = *operands[0];
  if (!isFloat(value.type) || value.scalar)
    return std::nullopt;
  Extents shape;
  for (int64_t dim = 0; dim < std::ssize(value.shape); ++dim)
    if (!llvm::is_contained(dimsOf(step), dim))
      shape.push_back(value.shape[dim]);
  if (shape.size() + dimsOf(step).size() != value.shape.size())
    return std::nullopt;
  return factsWith(step, shape, value.type, std::max(value.most, 5.0));
}

void writeOver(const Step &step, const Operands &operands,
               const ValueFacts &result, RecipeWriter &writer) {
  std::string scalar = writer.fresh(), init = writer.fresh(),
              element = nameOf(result.type), type = writer.type(result);
  writer.line("{} = arith.constant {} : {}", scalar, kInitial[step.numbers[1]],
              element);
  std::string empty = writer.empty(result);
  writer.line("{} = linalg.fill ins({} : {}) outs({} : {}) -> {}", init, scalar,
              element, empty, type, type);
  writer.line("{} = linalg.reduce {{ {} }} ins({} : {}) outs({} : {}) "
              "dimensions = {}",
              writer.result(), kExtremes[step.numbers[0]], writer.operand(0),
              writer.type(*operands[0]), init, type, listOf(dimsOf(step)));
}

constexpr StepKind kKinds[] = {
    {"zeros", proposeZeros, inferZeros, writeZeros},
    {"extreme", proposeExtreme, inferExtreme, writeExtreme},
    {"extreme over", proposeOver, inferOver, writeOver},
};

} // namespace

std::span<const StepKind> extremeKinds() { return kKinds; }

} // namespace npu
