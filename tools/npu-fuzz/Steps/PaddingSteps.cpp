// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// Steps of tensor.pad, whose region yields a constant of its own, a number
// computed from the position, or an element of a tensor or a scalar from
// outside.

#include "npu-fuzz/Recipes/RecipeWriter.h"
#include "npu-fuzz/Steps/NamedSteps.h"

namespace npu {
namespace {

/// The region yields 5, a number of the position, an entry of a tensor, a
/// scalar, or -2.
enum PadRegion : int64_t {
  Constant,
  Position,
  Entry,
  Scalar,
  PadRegionCount,
  Plain = PadRegionCount
};

/// Operands: the padded tensor, and the value that the region reads (a tensor
/// of which it takes an entry, or a scalar). Numbers: the kind of region; the
/// dimension whose position it uses; then low and high padding of each
/// dimension.
void proposePad(RecipeBuilder &builder, const StepKind &kind) {
  auto value = builder.pickRanked();
  if (!value)
    return;
  const ValueFacts facts = builder[*value];
  auto rank = std::ssize(facts.shape);
  Step step{
      &kind, {*value}, {builder.below(PadRegionCount), builder.below(rank)}};
  if (step.numbers[0] == Entry) {
    auto table = builder.pick([&](const ValueFacts &other) {
      return other.type == facts.type && Box::whole(other.shape).volume() > 0;
    });
    if (!table)
      return;
    step.operands.push_back(*table);
  } else if (step.numbers[0] == Scalar)
    step.operands.push_back(builder.scalar(facts.type));
  bool nothing = builder.oneIn(4);
  for (int64_t i = 0; i < 2 * rank; ++i)
    step.numbers.push_back(nothing || builder.oneIn(2) ? 0
                                                       : builder.between(1, 3));
  builder.addWithLayout(std::move(step));
}

void proposePlain(RecipeBuilder &builder, const StepKind &kind) {
  auto value = builder.pickFilled();
  if (!value)
    return;
  Step step{&kind, {*value}, {Plain, 0}};
  for (std::size_t i = 0; i < 2 * builder[*value].shape.size(); ++i)
    step.numbers.push_back(builder.oneIn(2) ? 0 : builder.below(3));
  builder.addWithLayout(std::move(step));
}

std::optional<ValueFacts> inferPad(const Step &step, const Operands &operands,
                                   bool exact) {
  const ValueFacts &value = *operands[0], &read = *operands.back();
  Extents shape = value.shape;
  if (value.scalar || step.numbers.size() != 2 + 2 * shape.size() ||
      step.numbers[1] >= std::ssize(shape))
    return std::nullopt;
  bool takes = step.numbers[0] == Entry || step.numbers[0] == Scalar;
  if (takes && (operands.size() != 2 || read.type != value.type ||
                read.scalar != (step.numbers[0] == Scalar) ||
                Box::whole(read.shape).volume() == 0))
    return std::nullopt;
  double most =
      std::max({value.most, read.most, step.numbers[0] == Plain ? 2.0 : 8.0});
  for (std::size_t dim = 0; dim < shape.size(); ++dim) {
    shape[dim] += step.numbers[2 + 2 * dim] + step.numbers[3 + 2 * dim];
    if (step.numbers[0] == Position)
      most = std::max(most, static_cast<double>(shape[dim]));
  }
  if (!mayReach(value.type, most, exact))
    return std::nullopt;
  return factsWith(step, shape, value.type, most);
}

/// Writes the region and gives the name of the yielded value.
std::string writeYielded(const Step &step, const Operands &operands,
                         ElementType type, RecipeWriter &writer) {
  std::string element = nameOf(type);
  switch (step.numbers[0]) {
  case Scalar:
    return writer.operand(1);
  case Constant:
  case Plain:
    return writer.constant(type, step.numbers[0] == Plain ? -2 : 5);
  case Entry: {
    std::vector<std::string> at(operands[1]->shape.size(), "%zero");
    writer.line("  %zero = arith.constant 0 : index");
    writer.line("  %entry = tensor.extract {}{} : {}", writer.operand(1),
                listOf(at), writer.type(*operands[1]));
    return "%entry";
  }
  default:
    if (!isFloat(type)) {
      writer.line("  %count = arith.index_cast %i{} : index to {}",
                  step.numbers[1], element);
      return "%count";
    }
    writer.line("  %number = arith.index_cast %i{} : index to i32",
                step.numbers[1]);
    writer.line("  %count = arith.sitofp %number : i32 to {}", element);
    return "%count";
  }
}

void writePad(const Step &step, const Operands &operands,
              const ValueFacts &result, RecipeWriter &writer) {
  std::vector<int64_t> low, high;
  std::string indices;
  for (std::size_t dim = 0; dim < result.shape.size(); ++dim) {
    low.push_back(step.numbers[2 + 2 * dim]);
    high.push_back(step.numbers[3 + 2 * dim]);
    indices += fmt::format("{}%i{}: index", dim ? ", " : "", dim);
  }
  writer.line("{} = tensor.pad {} low{} high{} {{", writer.result(),
              writer.operand(0), listOf(low), listOf(high));
  writer.line("^bb0({}):", indices);
  std::string yielded = writeYielded(step, operands, result.type, writer);
  writer.line("  tensor.yield {} : {}", yielded, nameOf(result.type));
  writer.line("}} : {} to {}", writer.type(*operands[0]), writer.type(result));
}

constexpr StepKind kKinds[] = {
    {"pad with", proposePad, inferPad, writePad},
    {"pad with", proposePad, inferPad, writePad},
    {"pad", proposePlain, inferPad, writePad},
};

} // namespace

std::span<const StepKind> paddingKinds() { return std::span(kKinds).first(2); }
std::span<const StepKind> plainPadKinds() { return std::span(kKinds).last(1); }

Step plainPad(unsigned value) { return {&kKinds[2], {value}, {Plain, 0}}; }

} // namespace npu
