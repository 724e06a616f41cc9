// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// Steps of graphs of TOSA: element by element, with broadcasts, conversions,
// choices and tables.

#include "npu-fuzz/Steps/TosaStep.h"

#include <fmt/format.h>

namespace npu {
namespace {

/// The element types that an operation takes, by letters: floats, bytes (i8),
/// shorts (i16), words (i32), truth values (i1).
bool takes(std::string_view letters, ElementType type) {
  char letter = isFloat(type)               ? 'f'
                : type == ElementType::I8   ? 'b'
                : type == ElementType::I16  ? 's'
                : type == ElementType::I32  ? 'w'
                : type == ElementType::Bool ? 't'
                                            : '-';
  return type != ElementType::F64 &&
         letters.find(letter) != std::string_view::npos;
}

struct Row {
  std::string_view op;
  const char *types;
};
constexpr Row kUnary[] = {
    {"abs", "fw"},         {"ceil", "f"},          {"floor", "f"},
    {"exp", "f"},          {"log", "f"},           {"tanh", "f"},
    {"sigmoid", "f"},      {"erf", "f"},           {"sin", "f"},
    {"cos", "f"},          {"reciprocal", "f"},    {"rsqrt", "f"},
    {"clz", "w"},          {"bitwise_not", "bsw"}, {"logical_not", "t"},
    {"identity", "fbswt"}, {"negate", "fbsw"},     {"clamp", "fbs"},
};
constexpr Row kBinary[] = {
    {"add", "fw"},
    {"sub", "fw"},
    {"mul", "fbsw"},
    {"pow", "f"},
    {"intdiv", "w"},
    {"maximum", "fw"},
    {"minimum", "fw"},
    {"bitwise_and", "bsw"},
    {"bitwise_or", "bsw"},
    {"bitwise_xor", "bsw"},
    {"logical_and", "t"},
    {"logical_or", "t"},
    {"logical_xor", "t"},
    {"logical_left_shift", "bsw"},
    {"logical_right_shift", "bsw"},
    {"arithmetic_right_shift", "bsw"},
    {"equal", "fw"},
    {"greater", "fw"},
    {"greater_equal", "fw"},
};

/// One of the rows that take the type, or null.
const Row *rowFor(RecipeBuilder &builder, std::span<const Row> rows,
                  ElementType type) {
  std::vector<const Row *> found;
  for (const Row &row : rows)
    if (takes(row.types, type))
      found.push_back(&row);
  return found.empty() ? nullptr : found[builder.below(std::ssize(found))];
}

void proposeUnary(RecipeBuilder &builder, const StepKind &) {
  auto value = builder.pick();
  if (!value)
    return;
  ElementType type = builder[*value].type;
  const Row *row = rowFor(builder, kUnary, type);
  int64_t choice = builder.below(2);
  if (!row)
    return;
  TosaStep step(builder, {*value});
  std::vector<TosaValue> operands = {step[0]};
  std::string element = nameOf(type), attributes;
  if (row->op == "negate") {
    bool zeros = type == ElementType::I8 && choice;
    operands.push_back(step.number(element, zeros ? 3 : 0));
    operands.push_back(step.number(element, zeros ? -2 : 0));
  }
  if (row->op == "clamp")
    attributes =
        fmt::format("min_val = -1{0} : {1}, max_val = 2{0} : {1}, {2}",
                    isFloat(type) ? ".0" : "", element, nanMode(choice));
  step.result(row->op, attributes, operands, type, builder[*value].shape);
}

std::optional<Extents> broadcast(const Extents &a, const Extents &b) {
  Extents shape = a;
  if (a.size() != b.size())
    return std::nullopt;
  for (std::size_t dim = 0; dim < a.size(); ++dim) {
    if (a[dim] != b[dim] && a[dim] != 1 && b[dim] != 1)
      return std::nullopt;
    if (a[dim] == 1)
      shape[dim] = b[dim];
  }
  return shape;
}

/// A value of that type whose shape broadcasts with that of `value`.
unsigned partner(RecipeBuilder &builder, unsigned value, ElementType type) {
  Extents shape = builder[value].shape;
  if (builder.oneIn(3))
    for (int64_t &extent : shape)
      if (builder.oneIn(2))
        extent = 1;
  return builder.valueOf(shape, type);
}

void proposeBinary(RecipeBuilder &builder, const StepKind &) {
  auto picked = builder.pick();
  if (!picked)
    return;
  ElementType type = builder[*picked].type;
  const Row *row = rowFor(builder, kBinary, type);
  unsigned a = *picked, b = partner(builder, a, type);
  if (builder.oneIn(2))
    std::swap(a, b);
  int64_t choice = builder.below(2);
  auto shape = broadcast(builder[a].shape, builder[b].shape);
  if (!row || !shape)
    return;
  TosaStep step(builder, {a, b});
  std::string_view op = row->op;
  std::string attributes;
  TosaValue second = step[1];
  if (op.find("shift") != std::string_view::npos)
    second =
        step.between(second, type, builder[b].shape, 0, 8 * byteSize(type) - 1);
  else if (op == "intdiv")
    second = step.between(second, type, builder[b].shape, 1, 9);
  std::vector<TosaValue> operands = {step[0], second};
  if (op == "mul")
    operands.push_back(
        step.number("i8", type == ElementType::I32 && choice ? 3 : 0));
  if (op == "maximum" || op == "minimum")
    attributes = nanMode(choice);
  if (op == "arithmetic_right_shift")
    attributes = choice ? "round = true" : "round = false";
  bool compares = op == "equal" || op == "greater" || op == "greater_equal";
  step.result(op, attributes, operands,
              compares                        ? ElementType::Bool
              : op == "mul" && !isFloat(type) ? ElementType::I32
                                              : type,
              *shape);
}

void proposeSelect(RecipeBuilder &builder, const StepKind &) {
  auto a =
      builder.pick([&](const ValueFacts &f) { return takes("fbswt", f.type); });
  if (!a)
    return;
  ElementType type = builder[*a].type;
  unsigned b = partner(builder, *a, type);
  unsigned which = partner(builder, *a, ElementType::Bool);
  auto shape = broadcast(builder[*a].shape, builder[b].shape);
  if (shape)
    shape = broadcast(*shape, builder[which].shape);
  TosaStep step(builder, {which, *a, b});
  if (shape)
    step.result("select", "", {step[0], step[1], step[2]}, type, *shape);
}

bool mayCast(ElementType from, ElementType to) {
  if (from == to || !takes("fbswt", from) || !takes("fbswt", to))
    return false;
  if (from == ElementType::Bool || to == ElementType::Bool)
    return !isFloat(from) && !isFloat(to);
  return true;
}

void proposeCast(RecipeBuilder &builder, const StepKind &) {
  constexpr ElementType kTypes[] = {
      ElementType::F32, ElementType::F16, ElementType::BF16, ElementType::I8,
      ElementType::I16, ElementType::I32, ElementType::Bool};
  auto value = builder.pick();
  if (!value)
    return;
  ElementType to = kTypes[builder.below(std::size(kTypes))];
  TosaStep step(builder, {*value});
  if (mayCast(builder[*value].type, to))
    step.result("cast", "", {step[0]}, to, builder[*value].shape);
}

void proposeTable(RecipeBuilder &builder, const StepKind &) {
  auto value =
      builder.pick([](const ValueFacts &f) { return takes("bs", f.type); });
  if (!value)
    return;
  int64_t by = builder.between(1, 100);
  bool bytes = builder[*value].type == ElementType::I8;
  int64_t count = bytes ? 256 : 513;
  std::vector<int64_t> entries;
  for (int64_t i = 0; i < count; ++i)
    entries.push_back(i * by % 251 - 125);
  TosaStep step(builder, {*value});
  step.result("table", "",
              {step[0], step.constant(std::span(&count, 1),
                                      bytes ? "i8" : "i16", entries)},
              bytes ? ElementType::I8 : ElementType::I32,
              builder[*value].shape);
}

/// A branch that adds, and a loop that adds the second value three times. {0}
/// is the type of the tensors.
constexpr const char *kBranches =
    "%R = tosa.cond_if %O0 : tensor<i1> -> {0} {{\n"
    "%L0 = \"tosa.add\"(%O1, %O2) : ({0}, {0}) -> {0}\n"
    "tosa.yield %L0 : {0}\n"
    "}} else {{\n"
    "tosa.yield %O2 : {0}\n"
    "}}\n";
constexpr const char *kLoop =
    "%L0 = \"tosa.const\"() <{{values = dense<0> : tensor<i32>}}> : () -> "
    "tensor<i32>\n"
    "%L1 = \"tosa.const\"() <{{values = dense<1> : tensor<i32>}}> : () -> "
    "tensor<i32>\n"
    "%L2 = \"tosa.const\"() <{{values = dense<3> : tensor<i32>}}> : () -> "
    "tensor<i32>\n"
    "%L8, %R = tosa.while_loop (%L3 = %L0, %L4 = %O1) : (tensor<i32>, {0}) -> "
    "(tensor<i32>, {0}) {{\n"
    "%L5 = tosa.greater %L2, %L3 : (tensor<i32>, tensor<i32>) -> tensor<i1>\n"
    "tosa.yield %L5 : tensor<i1>\n"
    "}} do {{\n"
    "^bb0(%L3: tensor<i32>, %L4: {0}):\n"
    "%L6 = tosa.add %L3, %L1 : (tensor<i32>, tensor<i32>) -> tensor<i32>\n"
    "%L7 = tosa.add %L4, %O2 : ({0}, {0}) -> {0}\n"
    "tosa.yield %L6, %L7 : tensor<i32>, {0}\n"
    "}}\n";

void proposeControl(RecipeBuilder &builder, const StepKind &) {
  auto a =
      builder.pick([](const ValueFacts &f) { return takes("fw", f.type); });
  if (!a)
    return;
  Extents shape = builder[*a].shape;
  ElementType type = builder[*a].type;
  unsigned b = builder.valueOf(shape, type);
  unsigned which = builder.valueOf({}, ElementType::Bool);
  TosaStep step(builder, {which, *a, b});
  const char *text = builder.below(2) ? kLoop : kBranches;
  step.resultOf(fmt::format(fmt::runtime(text), step[1].type), type, shape);
}

constexpr StepKind kKinds[] = {
    {"tosa unary of a graph", proposeUnary, nullptr, nullptr},
    {"tosa unary of a graph", proposeUnary, nullptr, nullptr},
    {"tosa binary of a graph", proposeBinary, nullptr, nullptr},
    {"tosa binary of a graph", proposeBinary, nullptr, nullptr},
    {"tosa binary of a graph", proposeBinary, nullptr, nullptr},
    {"tosa select", proposeSelect, nullptr, nullptr},
    {"tosa cast of a graph", proposeCast, nullptr, nullptr},
    {"tosa cast of a graph", proposeCast, nullptr, nullptr},
    {"tosa table", proposeTable, nullptr, nullptr},
    {"tosa control", proposeControl, nullptr, nullptr},
};

} // namespace

std::span<const StepKind> tosaElementwiseKinds() { return kKinds; }

} // namespace npu
