// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception

#include "ImportedGraph.h"

#include "npu/Translation/Onnx/OnnxTranslation.h"

#include "mlir/IR/Diagnostics.h"

#include <fmt/format.h>
#include <fmt/ranges.h>

#include <algorithm>

using namespace mlir;

namespace npu {

ImportedGraph::ImportedGraph(uint64_t seed, uint64_t number)
    : RandomNumbers(seed ^ 0x696d706f7274, number), hasPast(oneIn(4)),
      shortestPast(hasPast && !oneIn(3) ? 0 : 1),
      longest(hasPast ? between(2, 4) : between(3, 7)),
      choices((hasPast ? kSpan * kSpan : kSpan) + 1) {}

Counts ImportedGraph::sequence() const {
  Counts counts;
  for (int64_t at = 0; at < choices - 1; ++at)
    counts.push_back(1 + at % kSpan);
  counts.push_back(kLong);
  return counts;
}

Counts ImportedGraph::past() const {
  Counts counts;
  for (int64_t at = 0; at < choices - 1; ++at)
    counts.push_back(shortestPast + at / kSpan);
  counts.push_back(kLong);
  return counts;
}

int64_t ImportedGraph::volume(const std::vector<Counts> &dims) const {
  int64_t product = 1, at = longest - 1;
  if (hasPast)
    at += (longest - shortestPast) * kSpan;
  for (const Counts &dim : dims)
    product *= dim[at];
  return product;
}

std::optional<std::vector<Counts>>
ImportedGraph::together(const Tensor &a, const Tensor &b) const {
  std::vector<Counts> dims;
  for (int64_t at = 0; at < std::max(a.rank(), b.rank()); ++at) {
    Counts one = fixed(1);
    const Counts &m = at < a.rank() ? a.dims[a.rank() - 1 - at] : one,
                 &n = at < b.rank() ? b.dims[b.rank() - 1 - at] : one;
    if (m != n && m != one && n != one)
      return std::nullopt;
    dims.insert(dims.begin(), m == one ? n : m);
  }
  return dims;
}

std::string ImportedGraph::node(const std::string &op,
                                const std::string &operands,
                                const std::string &attributes) {
  std::string name = fmt::format("v{}", lines.size());
  lines.push_back(fmt::format(
      "  {} = {}{}({})", name, op,
      attributes.empty() ? "" : fmt::format(" <{}>", attributes), operands));
  return name;
}

std::string ImportedGraph::ints(const std::vector<int64_t> &numbers) {
  return node("Constant", "",
              fmt::format("value = int64[{}] {{{}}}", numbers.size(),
                          fmt::join(numbers, ", ")));
}

std::string ImportedGraph::integer(int64_t number) {
  return node("Constant", "", fmt::format("value = int64 {{{}}}", number));
}

std::string ImportedGraph::real(double number) {
  return node("Constant", "", fmt::format("value = float {{{:.3f}}}", number));
}

std::string ImportedGraph::weights(const std::vector<int64_t> &shape) {
  int64_t count = 1;
  for (int64_t extent : shape)
    count *= extent;
  std::vector<std::string> numbers;
  for (; count > 0; --count)
    numbers.push_back(
        fmt::format("{:.3f}", static_cast<double>(between(-700, 700)) / 1000));
  return node("Constant", "",
              fmt::format("value = float[{}] {{{}}}", fmt::join(shape, ","),
                          fmt::join(numbers, ", ")));
}

void ImportedGraph::add(const std::string &op, const std::string &operands,
                        Tensor like, const std::string &attributes) {
  like.name = node(op, operands, attributes);
  values.push_back(std::move(like));
}

void ImportedGraph::input(
    const std::string &name, char type,
    const std::vector<std::pair<std::string, Counts>> &dims) {
  std::vector<std::string> shape;
  Tensor tensor{name, type, {}};
  for (const auto &[text, counts] : dims) {
    shape.push_back(text);
    tensor.dims.push_back(counts);
  }
  inputs.push_back(fmt::format("{}[{}] {}", type == 'f' ? "float" : "int64",
                               fmt::join(shape, ","), name));
  values.push_back(std::move(tensor));
}

void ImportedGraph::addInputs() {
  std::pair<std::string, Counts> one{"1", fixed(1)},
      rows{"sequence", sequence()}, width{"4", fixed(4)}, heads{"2", fixed(2)};
  if (oneIn(4)) {
    input("ids", 'l', {one, rows});
    Tensor like{"", 'f', {fixed(1), sequence(), fixed(4)}};
    add("Gather", weights({5, 4}) + ", ids", like);
  }
  if (oneIn(3))
    input("mask", 'l', {one, rows});
  if (hasPast)
    input("cache", 'f', {one, {"past", past()}, width});
  else if (oneIn(3))
    input("cache", 'f', {one, {"3", fixed(3)}, width});
  switch (below(3)) {
  case 0:
    input("x", 'f', {one, rows, width});
    break;
  case 1:
    input("x", 'f', {one, heads, rows, width});
    break;
  default:
    input("x", 'f', {rows, width});
    break;
  }
}

Scalar ImportedGraph::extent(const Tensor &tensor, int64_t dim) {
  std::string shape = node("Shape", tensor.name);
  Scalar result{oneIn(3)
                    ? node("Squeeze", node("Slice", shape + ", " + ints({dim}) +
                                                        ", " + ints({dim + 1})))
                    : node("Gather", shape + ", " + integer(dim)),
                tensor.dims[dim]};
  return result;
}

Scalar ImportedGraph::plus(const Scalar &a, int64_t number) {
  if (number == 0)
    return a;
  std::string name = number < 0 ? node("Sub", a.name + ", " + integer(-number))
                                : node("Add", a.name + ", " + integer(number));
  return {name, each(a.counts, [&](int64_t n, int64_t) { return n + number; })};
}

Scalar ImportedGraph::plus(const Scalar &a, const Scalar &b) {
  return {
      node("Add", a.name + ", " + b.name),
      each(a.counts, [&](int64_t n, int64_t at) { return n + b.counts[at]; })};
}

std::string ImportedGraph::listed(const Scalar &a) {
  return oneIn(2) ? node("Unsqueeze", a.name + ", " + ints({0}))
                  : node("Reshape", a.name + ", " + ints({-1}));
}

std::string ImportedGraph::shapeOf(const Tensor &tensor) {
  std::vector<std::string> parts;
  for (int64_t dim = 0; dim < tensor.rank(); ++dim)
    parts.push_back(isFixed(tensor.dims[dim]) ? ints({tensor.dims[dim].front()})
                                              : listed(extent(tensor, dim)));
  return node("Concat", fmt::format("{}", fmt::join(parts, ", ")), "axis = 0");
}

const Tensor &ImportedGraph::pick() {
  if (!oneIn(3))
    for (size_t at = values.size(); at > 0; --at)
      if (values[at - 1].type == 'f')
        return values[at - 1];
  for (;;)
    if (const Tensor &value = values[below(std::ssize(values))];
        value.type == 'f')
      return value;
}

std::string ImportedGraph::graph() {
  std::vector<std::string> results;
  auto give = [&](Tensor value) {
    // Text cannot say that a result is a scalar.
    if (value.rank() == 0)
      value = {node("Reshape", value.name + ", " + ints({1})), 'f', {fixed(1)}};
    std::vector<std::string> shape;
    for (const Counts &dim : value.dims)
      shape.push_back(isFixed(dim) ? std::to_string(dim.front()) : "?");
    std::string name = fmt::format("r{}", results.size());
    lines.push_back(fmt::format("  {} = Identity({})", name, value.name));
    results.push_back(fmt::format("float[{}] {}", fmt::join(shape, ","), name));
  };
  give(values.back().type == 'f' ? values.back() : pick());
  if (oneIn(3))
    give(pick());
  return fmt::format("<ir_version: 8, opset_import: [\"\" : 17]>\n"
                     "made ({}) => ({}) {{\n{}\n}}\n",
                     fmt::join(inputs, ", "), fmt::join(results, ", "),
                     fmt::join(lines, "\n"));
}

/// Gives the function that the graph becomes, with the graph as a comment in
/// front; or why it does not.
void ImportedGraph::import(const std::string &text, MadeFunction &made) {
  std::string said;
  MLIRContext &context = makingContext();
  ScopedDiagnosticHandler handler(&context, [&](Diagnostic &diagnostic) {
    if (diagnostic.getSeverity() == DiagnosticSeverity::Error)
      said += diagnostic.str() + "\n";
    return success();
  });
  OnnxImportOptions options;
  options.namedPrompts = true;
  OwningOpRef<ModuleOp> module =
      importOnnx(text, "made.onnx.txt", options, &context);
  StringRef left = text;
  while (!left.empty()) {
    auto [line, rest] = left.split('\n');
    made.text += ("// " + line + "\n").str();
    left = rest;
  }
  if (module)
    made.text += textOf(*module);
  else
    made.whyNot = said;
}

MadeFunction ImportedGraph::made() {
  std::string text = graph();
  MadeFunction made;
  made.prompt.emplace().longest = longest;
  made.prompt->isImported = true;
  made.prompt->isCompiled = oneIn(2);
  if (hasPast) {
    made.prompt->names = {"sequence", "past"};
    made.prompt->shortestCache = shortestPast;
  }
  import(text, made);
  return made;
}

} // namespace npu
