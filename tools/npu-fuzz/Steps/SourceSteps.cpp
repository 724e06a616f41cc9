// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// Steps without operands: arguments, constants, fills, counting.

#include "npu-fuzz/Recipes/NestRules.h"
#include "npu-fuzz/Recipes/RecipeBuilder.h"
#include "npu-fuzz/Recipes/RecipeWriter.h"

namespace npu {
namespace {

Extents shapeOf(const Step &step) { return Extents(std::span(step.numbers)); }

/// A step whose numbers are a shape of rank 0 to 3 with few elements.
Step smallStep(RecipeBuilder &builder, const StepKind &kind) {
  Step step{&kind};
  step.type = builder.mainType();
  for (int64_t rank = builder.below(4); rank > 0; --rank)
    step.numbers.push_back(builder.between(1, 4));
  return step;
}

void proposeSmall(RecipeBuilder &builder, const StepKind &kind) {
  builder.addWithLayout(smallStep(builder, kind));
}

std::optional<ValueFacts> inferSource(const Step &step, const Operands &,
                                      bool) {
  return factsWith(step, shapeOf(step), step.type, 8);
}

void writeFill(const Step &, const Operands &, const ValueFacts &result,
               RecipeWriter &writer) {
  std::string scalar = writer.constant(result.type, -3);
  std::string empty = writer.empty(result);
  writer.line("{} = linalg.fill ins({} : {}) outs({} : {}) -> {}",
              writer.result(), scalar, nameOf(result.type), empty,
              writer.type(result), writer.type(result));
}

/// Writes a constant, or a fill where dimensions are dynamic, which constants
/// cannot have.
void writeSplat(const Step &step, const Operands &operands,
                const ValueFacts &result, RecipeWriter &writer) {
  if (result.grows())
    return writeFill(step, operands, result, writer);
  writer.line("{} = arith.constant dense<{}> : {}", writer.result(),
              literal(result.type, 2), writer.type(result));
}

void writeDense(const Step &, const Operands &, const ValueFacts &result,
                RecipeWriter &writer) {
  int64_t next = 1;
  writer.line("{} = arith.constant dense<{}> : {}", writer.result(),
              nested(result.shape.span(),
                     [&] {
                       return literal(result.type,
                                      static_cast<double>(7 * next++ % 9 - 4));
                     }),
              writer.type(result));
}

/// Numbers: the dimension along which elements count, then the shape.
void proposeIota(RecipeBuilder &builder, const StepKind &kind) {
  Step step = smallStep(builder, kind);
  if (step.numbers.empty())
    return;
  auto rank = static_cast<int64_t>(step.numbers.size());
  step.numbers.insert(step.numbers.begin(), builder.below(rank));
  builder.addWithLayout(std::move(step));
}

std::optional<ValueFacts> inferIota(const Step &step, const Operands &, bool) {
  return factsWith(step, Extents(std::span(step.numbers).subspan(1)), step.type,
                   8);
}

void writeIota(const Step &step, const Operands &operands,
               const ValueFacts &result, RecipeWriter &writer) {
  Step nest = elementwise({}, result.shape.size(),
                          positionAs(result.type, position(step.numbers[0])));
  nestKind.write(nest, operands, result, writer);
}

/// An argument cannot have extents that follow from the prompt's length.
std::optional<ValueFacts> inferArgument(const Step &step, const Operands &,
                                        bool) {
  if (llvm::any_of(step.extents, [](const Extent &extent) {
        return extent.kind > Extent::Prompt;
      }))
    return std::nullopt;
  return factsWith(step,
                   step.numbers.empty() ? shapeAt(step.extents) : shapeOf(step),
                   step.type, isFloat(step.type) ? 4 : 8);
}

void proposeArgument(RecipeBuilder &builder, const StepKind &) {
  builder.argument(builder.shape(), builder.mainType());
}

/// Proposes nothing: such steps are only added on request.
void proposeNothing(RecipeBuilder &, const StepKind &) {}

std::optional<ValueFacts> inferScalarArgument(const Step &step,
                                              const Operands &, bool) {
  return scalarFacts(step.type, isFloat(step.type) ? 4 : 8);
}

std::optional<ValueFacts> inferSecond(const Step &, const Operands &operands,
                                      bool) {
  const auto &second = operands[0]->second;
  return second ? std::optional(*second) : std::nullopt;
}

void writeSecond(const Step &, const Operands &, const ValueFacts &,
                 RecipeWriter &writer) {
  std::string first = writer.operand(0);
  writer.callResult(first.substr(0, first.find('#')) + "#1");
}

void writeNothing(const Step &, const Operands &, const ValueFacts &,
                  RecipeWriter &) {}

constexpr StepKind kKinds[] = {
    {"splat", proposeSmall, inferSource, writeSplat},
    {"dense", proposeSmall, inferSource, writeDense},
    {"fill", proposeSmall, inferSource, writeFill},
    {"iota", proposeIota, inferIota, writeIota},
};

} // namespace

const StepKind argumentKind = {"argument", proposeArgument, inferArgument,
                               writeNothing};

const StepKind scalarArgumentKind = {"scalar argument", proposeNothing,
                                     inferScalarArgument, writeNothing};
const StepKind secondKind = {"second", proposeNothing, inferSecond,
                             writeSecond};

std::span<const StepKind> sourceKinds() { return kKinds; }

} // namespace npu
