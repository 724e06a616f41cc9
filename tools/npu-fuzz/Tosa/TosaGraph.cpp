// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception

#include "npu-fuzz/Tosa/TosaGraph.h"

#include "npu-fuzz/Functions/RandomTask.h"

#include <fmt/format.h>
#include <fmt/ranges.h>

namespace npu {
namespace {

/// The entries as MLIR writes them: a list for every dimension.
template <typename Entry>
std::string nested(std::span<const int64_t> shape, Entry &&entry) {
  if (shape.empty())
    return entry();
  std::vector<std::string> parts;
  for (int64_t i = 0; i < shape[0]; ++i)
    parts.push_back(nested(shape.subspan(1), entry));
  return fmt::format("[{}]", fmt::join(parts, ", "));
}

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

TosaGraph::TosaGraph(uint64_t seed, uint64_t number)
    : RandomPlacements(seed, number) {
  made.tosa = true;
  constexpr ElementType kTypes[] = {
      ElementType::F32,  ElementType::F32, ElementType::F16,
      ElementType::BF16, ElementType::I8,  ElementType::I8,
      ElementType::I16,  ElementType::I32, ElementType::Bool,
  };
  // Nothing lowers what is unsigned, and that is said.
  type = oneIn(40) ? ElementType::U8 : oneOf(kTypes);
  made.parallelTiles = oneIn(2);
  made.special = oneIn(3);
  made.assign = randomTask(*this);
  if (made.assign->device == "described")
    made.assign->scratchpadBytes = int64_t(1) << 20;
}

MadeFunction TosaGraph::run() {
  for (int64_t count = between(1, 2); count > 0; --count) {
    Extents shape = oneIn(30) ? Extents() : this->shape();
    // TOSA has no tensors of nothing.
    for (int64_t &extent : shape)
      extent = std::max<int64_t>(extent, 1);
    argument(shape, type);
  }
  std::vector<TosaKind> kinds;
  for (auto family : {tosaElementwiseKinds(), tosaShapeKinds(), tosaSumKinds()})
    kinds.insert(kinds.end(), family.begin(), family.end());
  for (int64_t count = between(3, 12); count > 0; --count)
    kinds[below(std::ssize(kinds))](*this);
  std::vector<std::string> arguments, names, types;
  for (const TosaTensor &value : values) {
    std::string type = tosaType(value.shape.span(), nameOf(value.type));
    if (value.isArgument)
      arguments.push_back(value.name + ": " + type);
    else if (!value.isUsed || oneIn(8)) {
      names.push_back(value.name);
      types.push_back(type);
    }
  }
  if (names.empty()) {
    names = {values[0].name};
    types = {tosaType(values[0].shape.span(), nameOf(values[0].type))};
  }
  made.text = fmt::format(
      "module attributes {{dlti.target_system_spec = {}}} {{\n"
      "func.func @main({})\n    -> ({}) {{\n{}return {} : {}\n}}\n}}\n",
      describe(*made.assign), fmt::join(arguments, ", "),
      fmt::join(types, ", "), text, fmt::join(names, ", "),
      fmt::join(types, ", "));
  return std::move(made);
}

unsigned TosaGraph::argument(const Extents &shape, ElementType type) {
  values.push_back({type, shape, "%v" + std::to_string(values.size()), true});
  return values.size() - 1;
}

unsigned TosaGraph::valueOf(const Extents &shape, ElementType type) {
  auto found = pick([&](const TosaTensor &value) {
    return value.shape == shape && value.type == type;
  });
  return found && !oneIn(4) ? *found : argument(shape, type);
}

MadeFunction randomTosaGraph(uint64_t seed, uint64_t number) {
  return TosaGraph(seed, number).run();
}

TosaStep::TosaStep(TosaGraph &graph, std::vector<unsigned> operands)
    : graph(graph), operands(std::move(operands)) {}

TosaValue TosaStep::operator[](unsigned number) const {
  const TosaTensor &value = graph[operands[number]];
  return {value.name, tosaType(value.shape.span(), nameOf(value.type))};
}

TosaValue TosaStep::fresh(std::string type) {
  return {fmt::format("{}_{}", name(), locals++), std::move(type)};
}

TosaValue TosaStep::call(std::string_view op, const std::string &attributes,
                         const std::vector<TosaValue> &operands,
                         std::string type) {
  TosaValue made = fresh(std::move(type));
  text += textOf(op, attributes, operands, made.name, made.type);
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
  std::string result = tosaType(shape.span(), nameOf(type)), made = name();
  if (makesTwo) {
    made += ", " + fresh("").name;
    result += ", " + result;
  }
  resultOf(textOf(op, attributes, operands, made, result), type, shape);
}

void TosaStep::resultOf(const std::string &last, ElementType type,
                        const Extents &shape) {
  constexpr int64_t kMostEntries = 4000;
  int64_t entries = 1;
  for (int64_t extent : shape)
    entries *= std::max<int64_t>(extent, 0);
  if (entries <= 0 || entries > kMostEntries || shape.size() > kMaxRank)
    return;
  for (unsigned operand : operands)
    graph.values[operand].isUsed = true;
  graph.text += text + last;
  graph.values.push_back({type, shape, name()});
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
