// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception

#include "npu-fuzz/Steps/TosaStep.h"

#include "npu-fuzz/Recipes/RecipeWriter.h"

#include <fmt/ranges.h>

namespace npu {
namespace {

constexpr int64_t kMostEntries = 4000;

/// The step is legal for operands of the types that it was written for.
std::optional<ValueFacts> inferWritten(const Step &step,
                                       const Operands &operands, bool) {
  for (auto [operand, wanted] : llvm::zip_equal(operands, step.takes))
    if (operand->scalar || operand->type != wanted.type ||
        operand->shape != Extents(std::span(std::as_const(wanted.shape))))
      return std::nullopt;
  return factsWith(step, Extents(std::span(step.numbers)), step.type, 1);
}

/// Names the operands (%O0), other values (%L0) and the result (%R).
void writeWritten(const Step &step, const Operands &, const ValueFacts &,
                  RecipeWriter &writer) {
  std::string text;
  llvm::StringRef rest = step.text;
  while (!rest.empty()) {
    auto [before, after] = rest.split('%');
    text += before.str();
    if (after.empty())
      break;
    unsigned number = 0;
    char kind = after.front();
    rest = after.drop_front();
    if (kind != 'R')
      rest.consumeInteger(10, number);
    text += kind == 'R'   ? writer.result()
            : kind == 'O' ? writer.operand(number)
                          : fmt::format("{}_{}", writer.result(), number);
  }
  writer.line("{}", text);
}

void proposeNothing(RecipeBuilder &, const StepKind &) {}

const StepKind writtenKind = {"tosa", proposeNothing, inferWritten,
                              writeWritten};

std::string entryOf(std::string_view element, int64_t entry) {
  if (element == "i1")
    return entry != 0 ? "true" : "false";
  bool isFloat = element.find('f') != std::string_view::npos;
  return fmt::format("{}{}", entry, isFloat ? ".0" : "");
}

std::string textOf(std::string_view op, const std::string &attributes,
                   const std::vector<TosaValue> &operands,
                   const std::string &names, const std::string &results) {
  std::vector<std::string> values, types;
  for (const TosaValue &operand : operands) {
    values.push_back(operand.name);
    types.push_back(operand.type);
  }
  return fmt::format("{} = \"tosa.{}\"({}){} : ({}) -> ({})\n", names, op,
                     fmt::join(values, ", "),
                     attributes.empty() ? ""
                                        : fmt::format(" <{{{}}}>", attributes),
                     fmt::join(types, ", "), results);
}

} // namespace

TosaStep::TosaStep(RecipeBuilder &builder, std::vector<unsigned> operands)
    : builder(builder), step{&writtenKind, std::move(operands)} {
  for (unsigned operand : step.operands) {
    const Extents &shape = builder[operand].shape;
    step.takes.push_back({builder[operand].type, {shape.begin(), shape.end()}});
  }
}

TosaValue TosaStep::operator[](unsigned number) const {
  const TensorSpec &spec = step.takes[number];
  return {fmt::format("%O{}", number), tosaType(spec.shape, nameOf(spec.type))};
}

TosaValue TosaStep::fresh(std::string type) {
  return {fmt::format("%L{}", locals++), std::move(type)};
}

TosaValue TosaStep::call(std::string_view op, const std::string &attributes,
                         const std::vector<TosaValue> &operands,
                         std::string type) {
  TosaValue made = fresh(std::move(type));
  step.text += textOf(op, attributes, operands, made.name, made.type);
  return made;
}

TosaValue TosaStep::constant(std::span<const int64_t> shape,
                             std::string_view element,
                             std::span<const int64_t> entries) {
  std::size_t next = 0;
  std::string type = tosaType(shape, element);
  std::string text =
      entries.size() == 1
          ? entryOf(element, entries[0])
          : nested(shape, [&] { return entryOf(element, entries[next++]); });
  return call("const", fmt::format("values = dense<{}> : {}", text, type), {},
              type);
}

TosaValue TosaStep::number(std::string_view element, int64_t entry) {
  constexpr int64_t one = 1;
  return all(std::span(&one, 1), element, entry);
}

TosaValue TosaStep::shape(std::span<const int64_t> extents) {
  return call("const_shape",
              fmt::format("values = dense<[{}]> : tensor<{}xindex>",
                          fmt::join(extents, ", "), extents.size()),
              {}, fmt::format("!tosa.shape<{}>", extents.size()));
}

TosaValue TosaStep::between(const TosaValue &value, ElementType type,
                            const Extents &shape, int64_t least, int64_t most) {
  std::string element = nameOf(type);
  // clamp takes no i32, and maximum i32 alone.
  if (type != ElementType::I32)
    return call("clamp",
                fmt::format("min_val = {0} : {2}, max_val = {1} : {2}, {3}",
                            least, most, element, nanMode(0)),
                {value}, value.type);
  std::vector<int64_t> ones(shape.size(), 1);
  TosaValue low = call("maximum", nanMode(0),
                       {value, all(ones, element, least)}, value.type);
  return call("minimum", nanMode(0), {low, all(ones, element, most)},
              value.type);
}

void TosaStep::result(std::string_view op, const std::string &attributes,
                      const std::vector<TosaValue> &operands, ElementType type,
                      const Extents &shape, bool makesTwo) {
  std::string text = tosaType(shape.span(), nameOf(type));
  resultOf(makesTwo ? textOf(op, attributes, operands, "%R, " + fresh("").name,
                             text + ", " + text)
                    : textOf(op, attributes, operands, "%R", text),
           type, shape);
}

void TosaStep::resultOf(const std::string &text, ElementType type,
                        const Extents &shape) {
  step.text += text;
  step.type = type;
  step.numbers.assign(shape.begin(), shape.end());
  int64_t entries = 1;
  for (int64_t extent : shape)
    entries *= std::max<int64_t>(extent, 0);
  if (entries > 0 && entries <= kMostEntries && shape.size() <= kMaxRank)
    builder.add(std::move(step));
}

std::string tosaType(std::span<const int64_t> shape, std::string_view element) {
  return fmt::format("tensor<{}{}{}>", fmt::join(shape, "x"),
                     shape.empty() ? "" : "x", element);
}

std::string nanMode(int64_t ignore) {
  return fmt::format("nan_mode = #tosa.nan_mode<{}>",
                     ignore ? "IGNORE" : "PROPAGATE");
}

std::string tosaArray(std::span<const int64_t> numbers,
                      std::string_view element) {
  return fmt::format("array<{}: {}>", element, fmt::join(numbers, ", "));
}

std::string axisOf(int64_t axis) {
  return fmt::format("axis = {} : i32", axis);
}

} // namespace npu
