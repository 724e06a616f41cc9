// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// Steps with scalars: taken out of tensors, put in, computed with, filled with,
// read by bodies, given to functions of the module and returned from them.

#include "npu-fuzz/Recipes/ElementwiseRows.h"
#include "npu-fuzz/Recipes/NestRules.h"
#include "npu-fuzz/Recipes/RecipeBuilder.h"
#include "npu-fuzz/Recipes/RecipeWriter.h"

#include <fmt/ranges.h>

namespace npu {
namespace {

std::optional<unsigned> pickFilled(RecipeBuilder &builder) {
  return builder.pick([](const ValueFacts &value) {
    return Box::whole(value.shape).volume() > 0;
  });
}

bool isWithin(std::span<const int64_t> at, const Extents &shape) {
  if (at.size() != shape.size())
    return false;
  for (auto [place, extent] : llvm::zip(at, shape))
    if (place >= extent)
      return false;
  return true;
}

std::vector<int64_t> randomPlace(RecipeBuilder &builder, const Extents &shape) {
  std::vector<int64_t> at;
  for (int64_t extent : shape)
    at.push_back(builder.below(extent));
  return at;
}

std::string writePlace(std::span<const int64_t> at, RecipeWriter &writer) {
  std::vector<std::string> names;
  for (int64_t place : at) {
    names.push_back(writer.fresh());
    writer.line("{} = arith.constant {} : index", names.back(), place);
  }
  return listOf(names);
}

/// Numbers: the position of the element.
void proposeElement(RecipeBuilder &builder, const StepKind &kind) {
  if (auto value = pickFilled(builder))
    builder.add({&kind, {*value}, randomPlace(builder, builder[*value].shape)});
}

std::optional<ValueFacts> inferElement(const Step &step,
                                       const Operands &operands, bool) {
  if (operands[0]->scalar || !isWithin(step.numbers, operands[0]->shape))
    return std::nullopt;
  return scalarFacts(operands[0]->type, operands[0]->most);
}

void writeElement(const Step &step, const Operands &operands,
                  const ValueFacts &, RecipeWriter &writer) {
  std::string place = writePlace(step.numbers, writer);
  writer.line("{} = tensor.extract {}{} : {}", writer.result(),
              writer.operand(0), place, writer.type(*operands[0]));
}

/// Operands: the scalar that is put in, and the tensor. Numbers: the position.
void proposeSet(RecipeBuilder &builder, const StepKind &kind) {
  auto value = pickFilled(builder);
  if (!value)
    return;
  const ValueFacts whole = builder[*value];
  unsigned element = builder.scalar(whole.type);
  builder.add({&kind, {element, *value}, randomPlace(builder, whole.shape)});
}

std::optional<ValueFacts> inferSet(const Step &step, const Operands &operands,
                                   bool) {
  const ValueFacts &element = *operands[0], &whole = *operands[1];
  if (!element.scalar || whole.scalar || element.type != whole.type ||
      !isWithin(step.numbers, whole.shape))
    return std::nullopt;
  ValueFacts result = whole;
  result.second = nullptr;
  result.most = std::max(element.most, whole.most);
  return result;
}

void writeSet(const Step &step, const Operands &, const ValueFacts &result,
              RecipeWriter &writer) {
  std::string place = writePlace(step.numbers, writer);
  writer.line("{} = tensor.insert {} into {}{} : {}", writer.result(),
              writer.operand(0), writer.operand(1), place, writer.type(result));
}

/// Operands: one scalar for all elements, or one for each. Numbers: the shape,
/// if there is one for all.
void proposeFilledWith(RecipeBuilder &builder, const StepKind &kind) {
  Step step{&kind};
  bool one = builder.oneIn(2);
  for (int64_t i = one ? 1 : builder.between(2, 4); i > 0; --i)
    step.operands.push_back(builder.scalar(builder.mainType()));
  if (one) {
    Extents shape = builder.shape(3);
    step.numbers.assign(shape.begin(), shape.end());
  }
  builder.addWithLayout(std::move(step));
}

std::optional<ValueFacts> inferFilledWith(const Step &step,
                                          const Operands &operands, bool) {
  double most = 0;
  for (const ValueFacts *operand : operands) {
    if (!operand->scalar || operand->type != operands[0]->type)
      return std::nullopt;
    most = std::max(most, operand->most);
  }
  Extents shape = {std::ssize(operands)};
  if (operands.size() == 1)
    shape = Extents(std::span(step.numbers));
  return factsWith(step, shape, operands[0]->type, most);
}

void writeFilledWith(const Step &, const Operands &operands,
                     const ValueFacts &result, RecipeWriter &writer) {
  std::vector<std::string> names;
  names.reserve(operands.size());
  for (unsigned i = 0; i < operands.size(); ++i)
    names.push_back(writer.operand(i));
  writer.line("{} = tensor.{} {} : {}", writer.result(),
              operands.size() == 1 ? "splat" : "from_elements",
              fmt::join(names, ", "), writer.type(result));
}

/// Proposes an operation on two scalars. Numbers: the row.
void proposeComputed(RecipeBuilder &builder, const StepKind &kind) {
  auto rows = std::ssize(rowsFor(builder.mainType(), true));
  unsigned a = builder.scalar(builder.mainType()),
           b = builder.scalar(builder.mainType());
  builder.add({&kind, {a, b}, {builder.below(rows)}});
}

/// The row of an operation on two scalars.
const ElementwiseRow *rowOf(const Step &step, const ValueFacts &a,
                            const ValueFacts &b, bool exact) {
  auto rows = rowsFor(a.type, true);
  if (a.type != b.type || step.numbers[0] >= std::ssize(rows))
    return nullptr;
  const ElementwiseRow &row = rows[step.numbers[0]];
  return (exact && !row.isExact) ||
                 !mayReach(a.type, row.most(a.most, b.most), exact)
             ? nullptr
             : &row;
}

std::optional<ValueFacts> inferComputed(const Step &step,
                                        const Operands &operands, bool exact) {
  const ValueFacts &a = *operands[0], &b = *operands[1];
  const ElementwiseRow *row = rowOf(step, a, b, exact);
  if (!row || !a.scalar || !b.scalar)
    return std::nullopt;
  return scalarFacts(a.type, row->most(a.most, b.most));
}

void writeComputed(const Step &step, const Operands &operands,
                   const ValueFacts &result, RecipeWriter &writer) {
  writer.line("{} = {} {}, {} : {}", writer.result(),
              rowsFor(operands[0]->type, true)[step.numbers[0]].op,
              writer.operand(0), writer.operand(1), nameOf(result.type));
}

/// Proposes a generic whose body captures a scalar.
void proposeCaptured(RecipeBuilder &builder, const StepKind &) {
  unsigned value = *builder.pick();
  ElementType type = builder[value].type;
  auto rows = rowsFor(type, true);
  unsigned element = builder.scalar(type);
  const char *op = rows[builder.below(std::ssize(rows))].op;
  Step step =
      elementwise({value}, builder[value].shape.size(),
                  simple(op, {input(type, 0), {Expr::Extract, type, "", 1}}));
  step.operands.push_back(element);
  builder.addWithLayout(std::move(step));
}

/// Proposes a function that takes a tensor and a scalar and returns both.
/// Numbers: the row; how the tensor, then how the scalar is returned: as it is
/// (0), combined with itself (1), or as an element of the tensor (2).
void proposeCalled(RecipeBuilder &builder, const StepKind &kind) {
  auto value = pickFilled(builder);
  if (!value)
    return;
  ElementType type = builder[*value].type;
  auto rows = std::ssize(rowsFor(type, true));
  unsigned element = builder.scalar(type);
  builder.addPair({&kind,
                   {*value, element},
                   {builder.below(rows), builder.below(2), builder.below(3)}});
}

std::optional<ValueFacts> inferCalled(const Step &step,
                                      const Operands &operands, bool exact) {
  const ValueFacts &tensor = *operands[0], &element = *operands[1];
  if (tensor.scalar || !element.scalar || tensor.type != element.type ||
      Box::whole(tensor.shape).volume() == 0)
    return std::nullopt;
  ValueFacts result = tensor,
             second =
                 scalarFacts(element.type,
                             step.numbers[2] == 2 ? tensor.most : element.most);
  if (step.numbers[1] == 1) {
    const ElementwiseRow *row = rowOf(step, tensor, tensor, exact);
    if (!row)
      return std::nullopt;
    result.most = row->most(tensor.most, tensor.most);
  }
  if (step.numbers[2] == 1) {
    const ElementwiseRow *row = rowOf(step, element, element, exact);
    if (!row)
      return std::nullopt;
    second = scalarFacts(element.type, row->most(element.most, element.most));
  }
  result.second = std::make_shared<const ValueFacts>(std::move(second));
  return result;
}

void writeCalled(const Step &step, const Operands &operands,
                 const ValueFacts &result, RecipeWriter &writer) {
  const char *op = rowsFor(result.type, true)[step.numbers[0]].op;
  std::string tensor = writer.type(result), element = nameOf(result.type),
              types = tensor + ", " + element, name = writer.result().substr(1);
  const char *returned = "%tensor", *scalar = "%element";
  std::string body = writer.apart([&] {
    if (step.numbers[1] == 1) {
      writer.line("%both = {} %tensor, %tensor : {}", op, tensor);
      returned = "%both";
    }
    if (step.numbers[2] == 1)
      writer.line("%new = {} %element, %element : {}", op, element);
    else if (step.numbers[2] == 2) {
      std::string first = writePlace(
          std::vector<int64_t>(operands[0]->shape.size(), 0), writer);
      writer.line("%new = tensor.extract %tensor{} : {}", first, tensor);
    }
    if (step.numbers[2])
      scalar = "%new";
  });
  writer.addFunction(fmt::format("func.func private @with_{}(%tensor: {}, "
                                 "%element: {}) -> ({}) {{\n{}  return {}, {} "
                                 ": {}\n}}\n",
                                 name, tensor, element, types, body, returned,
                                 scalar, types));
  writer.line("{}:2 = func.call @with_{}({}, {}) : ({}) -> ({})",
              writer.result(), name, writer.operand(0), writer.operand(1),
              types, types);
  writer.callResult(writer.result() + "#0");
}

constexpr StepKind kKinds[] = {
    {"element", proposeElement, inferElement, writeElement},
    {"set element", proposeSet, inferSet, writeSet},
    {"filled with", proposeFilledWith, inferFilledWith, writeFilledWith},
    {"computed scalar", proposeComputed, inferComputed, writeComputed},
    {"captured scalar", proposeCaptured, nullptr, nullptr},
    {"call with scalar", proposeCalled, inferCalled, writeCalled},
};

} // namespace

std::span<const StepKind> scalarKinds() { return kKinds; }

} // namespace npu
