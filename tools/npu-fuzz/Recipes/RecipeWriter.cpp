// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception

#include "npu-fuzz/Recipes/RecipeWriter.h"
#include "npu-fuzz/Recipes/StepKind.h"

#include "llvm/Support/raw_ostream.h"

#include <fmt/ranges.h>

#include <algorithm>
#include <cmath>

namespace npu {

std::string RecipeWriter::text() {
  facts = *inferFacts(recipe);
  takeLength();
  std::vector<std::string> arguments, results, types, pinned;
  for (current = 0; current < recipe.steps.size(); ++current) {
    const Step &step = recipe.steps[current];
    freshNames = 0;
    if (isArgument(step)) {
      arguments.push_back(argument(current, true));
      continue;
    }
    std::string before = std::exchange(body, {});
    Operands operands;
    for (unsigned operand : step.operands)
      operands.push_back(&facts[operand]);
    step.kind->write(step, operands, facts[current], *this);
    body = before + std::exchange(head, {}) + body;
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
  bool prefill = recipe.prompt && recipe.prompt->prefill;
  if (prefill)
    arguments.emplace_back("%offset: index {npu.cache_offset}");
  std::string text =
      functions + fmt::format("func.func @{}({})\n    -> ({}) {{\n{}{}}}\n",
                              prefill ? "prefill" : "main",
                              fmt::join(arguments, ",\n    "),
                              fmt::join(pinned, ",\n        "), body,
                              returns(results, types));
  if (prefill)
    text += callFromOffsets(types);
  if (recipe.prompt && recipe.prompt->lastExtent == LastExtent::Longer)
    text += callWithLongerExtent(fmt::format("{}", fmt::join(types, ", ")));
  return recipe.assign ? onDevice(*recipe.assign, text) : text;
}

bool RecipeWriter::hasCasts(unsigned number) const {
  const ValueFacts &value = facts[number];
  return !recipe.prompt && number % 3 == 0 && value.grows() &&
         type(value) != dynamicType(number);
}

std::string RecipeWriter::dynamicType(unsigned number) const {
  ValueFacts value = facts[number];
  for (Extent &extent : value.extents)
    extent.kind = Extent::Prompt;
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

/// Defines the prompt's length, by which extents grow.
void RecipeWriter::takeLength() {
  if (std::vector<ArgumentDim> dims = promptDims(recipe); !dims.empty()) {
    line("%along = arith.constant {} : index", dims[0].dim);
    line("%n = tensor.dim {}, %along : {}", nameOf(dims[0].step),
         type(facts[dims[0].step]));
  }
  if (recipe.prompt && recipe.prompt->offsetByAffine)
    line("%at = affine.apply affine_map<(d0) -> (d0)>(%offset)");
}

std::string RecipeWriter::argument(unsigned number, bool marksCache) const {
  bool isCache = marksCache && recipe.steps[number].kind == &cacheKind;
  return fmt::format("{}: {}{}{}{}", nameOf(number), type(facts[number]),
                     pinOf(number), isCache ? " {npu.cache_dim = 0}" : "",
                     dimNames(number));
}

/// The names of an argument's dimensions, where the last prompt dimension has
/// one of its own.
std::string RecipeWriter::dimNames(unsigned number) const {
  if (!recipe.prompt || recipe.prompt->lastExtent != LastExtent::Named)
    return "";
  std::optional<ArgumentDim> last = lastOfSeveral(recipe);
  std::vector<std::string> texts;
  for (auto [dim, extent] : llvm::enumerate(recipe.steps[number].extents))
    texts.emplace_back(extent.kind != Extent::Prompt ? "\"\""
                       : last && last->step == number && last->dim == dim
                           ? "\"P\""
                           : "\"S\"");
  return fmt::format(" {{npu.dim_names = [{}]}}", fmt::join(texts, ", "));
}

/// A function that calls `main` with the prompt one entry short of the longest,
/// and with one more in the last prompt dimension.
std::string
RecipeWriter::callWithLongerExtent(const std::string &results) const {
  std::optional<ArgumentDim> last = lastOfSeveral(recipe);
  std::vector<std::string> values, types, given;
  std::string casts;
  for (unsigned number = 0; number < recipe.steps.size(); ++number) {
    if (!isArgument(recipe.steps[number]))
      continue;
    ValueFacts value = facts[number];
    for (auto [dim, extent] : llvm::enumerate(value.extents))
      if (std::exchange(extent.kind, Extent::Fixed) == Extent::Prompt)
        value.shape[dim] = recipe.prompt->longest - 1 +
                           (last && last->step == number && last->dim == dim);
    given.push_back(nameOf(number) + ": " + type(value));
    types.push_back(type(facts[number]));
    values.push_back(nameOf(number));
    if (type(value) == types.back())
      continue;
    values.back() += "_cast";
    casts += fmt::format("  {} = tensor.cast {} : {} to {}\n", values.back(),
                         nameOf(number), type(value), types.back());
  }
  return fmt::format("func.func @caller({}) {{\n{}  %called:{} = call "
                     "@main({}) : ({}) -> ({})\n  return\n}}\n",
                     fmt::join(given, ", "), casts, recipe.results.size(),
                     fmt::join(values, ", "), fmt::join(types, ", "), results);
}

std::string
RecipeWriter::callFromOffsets(const std::vector<std::string> &types) const {
  std::vector<std::string> given, values, from, all, returned;
  for (unsigned number = 0; number < recipe.steps.size(); ++number)
    if (isArgument(recipe.steps[number])) {
      given.push_back(argument(number, false));
      values.push_back(nameOf(number));
      from.push_back(type(facts[number]));
    }
  std::string calls;
  for (int64_t offset : kPrefillOffsets) {
    calls += fmt::format("  %offset{0} = arith.constant {0} : index\n"
                         "  %from{0}:{1} = call @prefill({2}, %offset{0}) : "
                         "({3}, index) -> ({4})\n",
                         offset, types.size(), fmt::join(values, ", "),
                         fmt::join(from, ", "), fmt::join(types, ", "));
    for (std::size_t i = 0; i < types.size(); ++i)
      returned.push_back(fmt::format("%from{}#{}", offset, i));
    all.insert(all.end(), types.begin(), types.end());
  }
  return fmt::format("func.func @main({}) -> ({}) {{\n{}  return {} : {}\n}}\n",
                     fmt::join(given, ", "), fmt::join(all, ", "), calls,
                     fmt::join(returned, ", "), fmt::join(all, ", "));
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

namespace {

std::string byAffine(const Extent &extent, const std::string &name) {
  constexpr const char *kFormats[] = {"",         "",       "{} - s",
                                      "s * {}",   "s + {}", "s floordiv {}",
                                      "s mod {}", "s, {}",  "s, {}"};
  return fmt::format(
      "  {} = affine.{} affine_map<()[s] -> ({})>()[%n]\n", name,
      extent.kind == Extent::AtLeast  ? "max"
      : extent.kind == Extent::AtMost ? "min"
                                      : "apply",
      fmt::format(fmt::runtime(kFormats[extent.kind]), extent.number));
}

std::string byArith(const Extent &extent, const std::string &name) {
  constexpr const char *kOperations[] = {
      "",           "",      "subi",  "muli",  "addi",
      "floordivsi", "remsi", "maxsi", "minsi", "addi"};
  std::string of = "%n", by = name + "c", text;
  if (extent.kind == Extent::Linear) {
    of = name + "m";
    text = fmt::format("  {0}f = arith.constant {1} : index\n"
                       "  {0}m = arith.muli %n, {0}f : index\n",
                       name, extent.factor);
  }
  if (extent.kind == Extent::Falling)
    std::swap(of, by);
  return text + fmt::format("  {0}c = arith.constant {1} : index\n"
                            "  {0} = arith.{2} {3}, {4} : index\n",
                            name, extent.number, kOperations[extent.kind], of,
                            by);
}

} // namespace

std::string RecipeWriter::extent(const ValueFacts &value, std::size_t dim) {
  if (!value.growsIn(dim))
    return std::to_string(value.shape[dim]);
  const Extent &extent = value.extents[dim];
  if (extent.kind == Extent::Prompt)
    return "%n";
  for (const auto &[known, name] : extents)
    if (known == extent)
      return name;
  std::string name = fmt::format("%extent{}", extents.size());
  extents.emplace_back(extent, name);
  head += extent.byAffine ? byAffine(extent, name) : byArith(extent, name);
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

std::string RecipeWriter::constant(ElementType type, double number) {
  std::string name = fresh();
  line("{} = arith.constant {}", name, typedLiteral(type, number));
  return name;
}

std::string RecipeWriter::filled(const ValueFacts &value, double number) {
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

std::string literal(ElementType type, double number) {
  if (type == ElementType::Bool)
    return static_cast<int64_t>(number) & 1 ? "true" : "false";
  if (!isFloat(type))
    return std::to_string(static_cast<int64_t>(number));
  if (std::isfinite(number))
    return std::floor(number) == number && std::fabs(number) < 1e6
               ? fmt::format("{:.1f}", number)
               : fmt::format("{:.8e}", number);
  std::string bits = type == ElementType::F16   ? "7C00"
                     : type == ElementType::F32 ? "7F800000"
                                                : "7FF0000000000000";
  std::string quiet = type == ElementType::F16   ? "7E00"
                      : type == ElementType::F32 ? "7FC00000"
                                                 : "7FF8000000000000";
  if (std::isnan(number))
    return "0x" + quiet;
  if (number < 0)
    bits[0] = 'F';
  return "0x" + bits;
}

std::string typedLiteral(ElementType type, double number) {
  std::string text = literal(type, number);
  return type == ElementType::Bool ? text : text + " : " + scalarName(type);
}

std::string toText(const Recipe &recipe, mlir::MLIRContext &context) {
  return RecipeWriter(recipe, context).text();
}

} // namespace npu
