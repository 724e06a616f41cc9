// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception

#include "npu-fuzz/Recipes/RecipeWriter.h"
#include "npu-fuzz/Recipes/RunTimeLength.h"
#include "npu-fuzz/Recipes/StepKind.h"

#include "llvm/Support/raw_ostream.h"

#include <fmt/ranges.h>

#include <algorithm>

namespace npu {

RecipeWriter::RecipeWriter(const Recipe &recipe, mlir::MLIRContext &context,
                           const RunTimeLength *length)
    : recipe(recipe), context(context), length(length) {}

std::string RecipeWriter::text() {
  facts = *inferFacts(recipe);
  if (length)
    takeLength();
  std::vector<std::string> arguments, results, types, pinned;
  for (current = 0; current < recipe.steps.size(); ++current) {
    const Step &step = recipe.steps[current];
    freshNames = 0;
    if (isArgument(step)) {
      arguments.push_back(result() + ": " + type(facts[current]) +
                          pinOf(current));
      continue;
    }
    Operands operands;
    for (unsigned operand : step.operands)
      operands.push_back(&facts[operand]);
    step.kind->write(step, operands, facts[current], *this);
    castToAndFro();
  }
  for (unsigned number : recipe.results) {
    results.push_back(nameOf(number));
    types.push_back(type(facts[number]));
    if (hasCasts(number)) {
      results.back() = writeCast(number, types.back(), dynamicType(number));
      types.back() = dynamicType(number);
    }
    pinned.push_back(types.back() + pinOf(number));
  }
  std::string text =
      functions + fmt::format("func.func @main({})\n    -> ({}) {{\n{}{}}}\n",
                              fmt::join(arguments, ",\n    "),
                              fmt::join(pinned, ",\n        "), body,
                              returns(results, types));
  return recipe.assign ? onDevice(*recipe.assign, text) : text;
}

bool RecipeWriter::hasCasts(unsigned number) const {
  const ValueFacts &value = facts[number];
  return length && number % 3 == 0 && value.grows() &&
         type(value) != dynamicType(number);
}

std::string RecipeWriter::dynamicType(unsigned number) const {
  ValueFacts value = facts[number];
  for (int64_t &growth : value.growth)
    growth = 1;
  return type(value);
}

std::string RecipeWriter::writeCast(unsigned number, const std::string &from,
                                    const std::string &to) {
  std::string name = fmt::format("{}_cast{}", nameOf(number), casts++);
  std::replace(name.begin() + 1, name.end(), '#', '_');
  line("{} = tensor.cast {} : {} to {}", name, nameOf(number), from, to);
  return name;
}

void RecipeWriter::castToAndFro() {
  if (!hasCasts(current))
    return;
  std::string known = type(facts[current]), dynamic = dynamicType(current);
  callResult(writeCast(current, known, dynamic));
  callResult(writeCast(current, dynamic, known));
}

std::string RecipeWriter::pinOf(unsigned number) const {
  Layout pin = recipe.steps[number].pin;
  if (pin == Layout())
    return "";
  std::string text;
  llvm::raw_string_ostream stream(text);
  stream << " {" << NPUDialect::LayoutAttrHelper::getNameStr() << " = ";
  writeLayout(stream, pin);
  stream << "}";
  return text;
}

/// Writes the layout in its shortest form.
void RecipeWriter::writeLayout(llvm::raw_ostream &stream, Layout layout) const {
  if (layout.distribution)
    normalize(*layout.distribution);
  if (isIdentity(layout.order))
    layout.order = {};
  stream << LayoutAttr::get(&context, layout);
}

std::string RecipeWriter::onDevice(const AssignTask &task,
                                   const std::string &functions) {
  std::string entries;
  auto add = [&](std::string_view name, int64_t value) {
    if (value != 0)
      entries += fmt::format(", \"npu.{}\" = {} : i64", name, value);
  };
  add("tiles", task.tiles);
  add("max_tiles", task.tiles);
  add("scratchpad_bytes", task.scratchpadBytes);
  for (const auto &[name, value] : task.figures)
    add(name, value);
  return fmt::format(
      "module attributes {{dlti.target_system_spec = #dlti.target_system_spec<"
      "\"NPU\" =\n    #dlti.target_device_spec<\"npu.name\" = \"{}\"{}>>}} {{\n"
      "{}}}\n",
      task.device, entries, functions);
}

std::string RecipeWriter::returns(std::vector<std::string> results,
                                  const std::vector<std::string> &types) const {
  auto text = [&] {
    return fmt::format("  return {} : {}\n", fmt::join(results, ", "),
                       fmt::join(types, ", "));
  };
  std::string first = text();
  auto decides = llvm::find_if(facts, [](const ValueFacts &value) {
    return value.scalar && !value.undefined && value.type == ElementType::Bool;
  });
  if (!recipe.returnsTwice || decides == facts.end())
    return first;
  for (std::size_t i = 0; i < results.size(); ++i)
    for (std::size_t j = i + 1; j < results.size(); ++j)
      if (types[i] == types[j])
        std::swap(results[i], results[j]);
  return fmt::format(
      "  cf.cond_br {}, ^first, ^second\n^first:\n{}^second:\n{}",
      nameOf(decides - facts.begin()), first, text());
}

/// Reads the extents that grow, and defines the length with which they grow.
void RecipeWriter::takeLength() {
  for (auto [value, growth] : llvm::zip(facts, length->growth))
    value.growth = growth;
  for (std::size_t step = 0; step < facts.size(); ++step)
    for (std::size_t dim = 0; dim < facts[step].shape.size(); ++dim)
      if (recipe.steps[step].kind == &argumentKind &&
          facts[step].growsIn(dim)) {
        line("%dim = arith.constant {} : index", dim);
        line("%length = tensor.dim {}, %dim : {}", nameOf(step),
             type(facts[step]));
        return;
      }
}

std::string RecipeWriter::type(const ValueFacts &value) const {
  if (value.scalar)
    return npu::nameOf(value.type);
  std::string text = "tensor<";
  for (std::size_t dim = 0; dim < value.shape.size(); ++dim)
    text += (value.growsIn(dim) ? "?" : std::to_string(value.shape[dim])) + "x";
  text += npu::nameOf(value.type);
  if (value.layout.distribution || !isIdentity(value.layout.order)) {
    llvm::raw_string_ostream stream(text);
    stream << ", ";
    writeLayout(stream, value.layout);
  }
  return text + ">";
}

std::string RecipeWriter::extent(const ValueFacts &value, std::size_t dim) {
  if (!value.growsIn(dim))
    return std::to_string(value.shape[dim]);
  std::string name = "%length";
  auto apply = [&](const char *op, int64_t by) {
    std::string number = fresh(), result = fresh();
    line("{} = arith.constant {} : index", number, by);
    line("{} = arith.{} {}, {} : index", result, op, name, number);
    name = result;
  };
  int64_t perToken = value.growth[dim];
  if (perToken != 1)
    apply("muli", perToken);
  if (int64_t more = value.shape[dim] - perToken * length->longest)
    apply("addi", more);
  return name;
}

std::optional<std::string>
RecipeWriter::overwritten(const ValueFacts &value) const {
  if (!recipe.assign || isApart || current % 2 == 0)
    return std::nullopt;
  std::string wanted = type(value);
  for (unsigned step = current; step-- > 0;)
    if (!facts[step].undefined && !facts[step].scalar &&
        type(facts[step]) == wanted)
      return nameOf(step);
  return std::nullopt;
}

std::string RecipeWriter::empty(const ValueFacts &value) {
  if (auto name = overwritten(value))
    return *name;
  std::vector<std::string> sizes;
  for (std::size_t dim = 0; dim < value.shape.size(); ++dim)
    if (value.growsIn(dim))
      sizes.push_back(extent(value, dim));
  std::string name = fresh();
  line("{} = tensor.empty({}) : {}", name, fmt::join(sizes, ", "), type(value));
  return name;
}

std::string RecipeWriter::constant(ElementType type, int number) {
  std::string name = fresh();
  line("{} = arith.constant {}", name, typedLiteral(type, number));
  return name;
}

std::string RecipeWriter::filled(const ValueFacts &value, int number) {
  std::string scalar = constant(value.type, number);
  std::string destination = empty(value), name = fresh();
  line("{} = linalg.fill ins({} : {}) outs({} : {}) -> {}", name, scalar,
       npu::nameOf(value.type), destination, type(value), type(value));
  return name;
}

std::string listOf(std::span<const std::string> names) {
  return fmt::format("[{}]", fmt::join(names, ", "));
}

std::string listOf(std::span<const int64_t> numbers) {
  return fmt::format("[{}]", fmt::join(numbers, ", "));
}

std::string mapOf(std::size_t loops, std::span<const int64_t> results) {
  std::vector<std::string> from, to;
  for (std::size_t loop = 0; loop < loops; ++loop)
    from.push_back(fmt::format("d{}", loop));
  for (int64_t loop : results)
    to.push_back(fmt::format("d{}", loop));
  return fmt::format("affine_map<({}) -> ({})>", fmt::join(from, ", "),
                     fmt::join(to, ", "));
}

std::string vectorOf(std::span<const int64_t> numbers) {
  return fmt::format("dense<{}> : vector<{}xi64>", listOf(numbers),
                     numbers.size());
}

std::string parallelLoops(std::size_t count) {
  return fmt::format(
      "[{}]", fmt::join(std::vector<std::string>(count, "\"parallel\""), ", "));
}

std::string literal(ElementType type, int number) {
  if (type == ElementType::Bool)
    return number % 2 ? "true" : "false";
  return fmt::format("{}{}", number, isFloat(type) ? ".0" : "");
}

std::string typedLiteral(ElementType type, int number) {
  std::string text = literal(type, number);
  return type == ElementType::Bool ? text : text + " : " + nameOf(type);
}

std::string toText(const Recipe &recipe, mlir::MLIRContext &context) {
  return RecipeWriter(recipe, context).text();
}

} // namespace npu
