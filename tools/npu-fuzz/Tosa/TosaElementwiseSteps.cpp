// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// Steps of graphs of TOSA: element by element, with broadcasts, conversions,
// choices and tables.

#include "npu-fuzz/Tosa/TosaGraph.h"

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
const Row *rowFor(TosaGraph &graph, std::span<const Row> rows,
                  ElementType type) {
  std::vector<const Row *> found;
  for (const Row &row : rows)
    if (takes(row.types, type))
      found.push_back(&row);
  return found.empty() ? nullptr : found[graph.below(std::ssize(found))];
}

void proposeUnary(TosaGraph &graph) {
  unsigned value = graph.pick();
  ElementType type = graph[value].type;
  const Row *row = rowFor(graph, kUnary, type);
  int64_t choice = graph.below(2);
  if (!row)
    return;
  TosaStep step(graph, {value});
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
  step.result(row->op, attributes, operands, type, graph[value].shape);
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
unsigned partner(TosaGraph &graph, unsigned value, ElementType type) {
  Extents shape = graph[value].shape;
  if (graph.oneIn(3))
    for (int64_t &extent : shape)
      if (graph.oneIn(2))
        extent = 1;
  return graph.valueOf(shape, type);
}

void proposeBinary(TosaGraph &graph) {
  unsigned a = graph.pick();
  ElementType type = graph[a].type;
  const Row *row = rowFor(graph, kBinary, type);
  unsigned b = partner(graph, a, type);
  if (graph.oneIn(2))
    std::swap(a, b);
  int64_t choice = graph.below(2);
  auto shape = broadcast(graph[a].shape, graph[b].shape);
  if (!row || !shape)
    return;
  TosaStep step(graph, {a, b});
  std::string_view op = row->op;
  std::string attributes;
  TosaValue second = step[1];
  if (op.find("shift") != std::string_view::npos)
    second =
        step.between(second, type, graph[b].shape, 0, 8 * byteSize(type) - 1);
  else if (op == "intdiv")
    second = step.between(second, type, graph[b].shape, 1, 9);
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

void proposeSelect(TosaGraph &graph) {
  auto a =
      graph.pick([&](const TosaTensor &f) { return takes("fbswt", f.type); });
  if (!a)
    return;
  ElementType type = graph[*a].type;
  unsigned b = partner(graph, *a, type);
  unsigned which = partner(graph, *a, ElementType::Bool);
  auto shape = broadcast(graph[*a].shape, graph[b].shape);
  if (shape)
    shape = broadcast(*shape, graph[which].shape);
  TosaStep step(graph, {which, *a, b});
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

void proposeCast(TosaGraph &graph) {
  constexpr ElementType kTypes[] = {
      ElementType::F32, ElementType::F16, ElementType::BF16, ElementType::I8,
      ElementType::I16, ElementType::I32, ElementType::Bool};
  unsigned value = graph.pick();
  ElementType to = kTypes[graph.below(std::size(kTypes))];
  TosaStep step(graph, {value});
  if (mayCast(graph[value].type, to))
    step.result("cast", "", {step[0]}, to, graph[value].shape);
}

void proposeTable(TosaGraph &graph) {
  auto value =
      graph.pick([](const TosaTensor &f) { return takes("bs", f.type); });
  if (!value)
    return;
  int64_t by = graph.between(1, 100);
  bool bytes = graph[*value].type == ElementType::I8;
  int64_t count = bytes ? 256 : 513;
  std::vector<int64_t> entries;
  for (int64_t i = 0; i < count; ++i)
    entries.push_back(i * by % 251 - 125);
  TosaStep step(graph, {*value});
  step.result("table", "",
              {step[0], step.constant(std::span(&count, 1),
                                      bytes ? "i8" : "i16", entries)},
              bytes ? ElementType::I8 : ElementType::I32, graph[*value].shape);
}

/// A branch that adds, and a loop that adds the second value three times. {0}
/// is the type of the tensors, {1} the result, and {2} to {4} the operands.
constexpr const char *kBranches =
    "{1} = tosa.cond_if {2} : tensor<i1> -> {0} {{\n"
    "{1}_0 = \"tosa.add\"({3}, {4}) : ({0}, {0}) -> {0}\n"
    "tosa.yield {1}_0 : {0}\n"
    "}} else {{\n"
    "tosa.yield {4} : {0}\n"
    "}}\n";
constexpr const char *kLoop =
    "{1}_0 = \"tosa.const\"() <{{values = dense<0> : tensor<i32>}}> : () -> "
    "tensor<i32>\n"
    "{1}_1 = \"tosa.const\"() <{{values = dense<1> : tensor<i32>}}> : () -> "
    "tensor<i32>\n"
    "{1}_2 = \"tosa.const\"() <{{values = dense<3> : tensor<i32>}}> : () -> "
    "tensor<i32>\n"
    "{1}_8, {1} = tosa.while_loop ({1}_3 = {1}_0, {1}_4 = {3}) : (tensor<i32>, "
    "{0}) -> "
    "(tensor<i32>, {0}) {{\n"
    "{1}_5 = tosa.greater {1}_2, {1}_3 : (tensor<i32>, tensor<i32>) -> "
    "tensor<i1>\n"
    "tosa.yield {1}_5 : tensor<i1>\n"
    "}} do {{\n"
    "^bb0({1}_3: tensor<i32>, {1}_4: {0}):\n"
    "{1}_6 = tosa.add {1}_3, {1}_1 : (tensor<i32>, tensor<i32>) -> "
    "tensor<i32>\n"
    "{1}_7 = tosa.add {1}_4, {4} : ({0}, {0}) -> {0}\n"
    "tosa.yield {1}_6, {1}_7 : tensor<i32>, {0}\n"
    "}}\n";

void proposeControl(TosaGraph &graph) {
  auto a = graph.pick([](const TosaTensor &f) { return takes("fw", f.type); });
  if (!a)
    return;
  Extents shape = graph[*a].shape;
  ElementType type = graph[*a].type;
  unsigned b = graph.valueOf(shape, type);
  unsigned which = graph.valueOf({}, ElementType::Bool);
  TosaStep step(graph, {which, *a, b});
  const char *text = graph.below(2) ? kLoop : kBranches;
  step.resultOf(fmt::format(fmt::runtime(text), step[1].type, step.name(),
                            step[0].name, step[1].name, step[2].name),
                type, shape);
}

constexpr TosaKind kKinds[] = {
    proposeUnary,  proposeUnary, proposeBinary, proposeBinary, proposeBinary,
    proposeSelect, proposeCast,  proposeCast,   proposeTable,  proposeControl,
};

} // namespace

std::span<const TosaKind> tosaElementwiseKinds() { return kKinds; }

} // namespace npu
