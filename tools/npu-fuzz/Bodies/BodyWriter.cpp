// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// Writes the text of a function from its steps.

#include "npu-fuzz/Bodies/BodyRecipe.h"
#include "npu-fuzz/Bodies/ExprWriter.h"

#include <fmt/format.h>
#include <fmt/ranges.h>

#include <algorithm>

namespace npu {
namespace {

class BodyWriter {
public:
  explicit BodyWriter(const BodyRecipe &recipe) : recipe(recipe) {}

  std::string text() {
    for (std::size_t number = 0; number < recipe.steps.size(); ++number)
      if (isArgument(recipe.steps[number]))
        arguments.push_back(number);
    writeLength();
    for (std::size_t number = 0; number < recipe.steps.size(); ++number)
      write(number);
    std::vector<std::string> values, types;
    for (unsigned result : recipe.results) {
      values.push_back(valueOf(result));
      types.push_back(typeOf(result));
    }
    std::string results = fmt::format("{}", fmt::join(types, ", "));
    std::string function = fmt::format(
        "func.func @{}({}{}) -> ({}) {{\n{}  return {} : {}\n}}\n",
        recipe.prefill ? "prefill" : "main", signature(recipe.prefill),
        recipe.prefill ? ", %offset: index {npu.cache_offset}" : "", results,
        body, fmt::join(values, ", "), results);
    if (recipe.lastExtent == LastExtent::Longer)
      function += callWithLongerExtent(results);
    return recipe.prefill ? function + callFromOffsets(types) : function;
  }

private:
  static bool isArgument(const BodyStep &step) {
    return step.kind == BodyStep::Argument || step.kind == BodyStep::Cache;
  }

  std::string valueOf(unsigned number) const {
    return fmt::format("%{}{}", isArgument(recipe.steps[number]) ? "arg" : "v",
                       number);
  }

  static std::string typeOf(const std::vector<BodyExtent> &shape,
                            BodyType type) {
    std::string text = "tensor<";
    for (const BodyExtent &extent : shape)
      text += extent.kind == BodyExtent::Fixed
                  ? fmt::format("{}x", extent.number)
                  : "?x";
    return text + nameOf(type) + ">";
  }

  std::string typeOf(unsigned number) const {
    return typeOf(recipe.steps[number].shape, recipe.steps[number].type);
  }

  std::string signature(bool marksCaches) const {
    std::vector<std::string> texts;
    texts.reserve(arguments.size());
    for (unsigned number : arguments)
      texts.push_back(fmt::format("{}: {}{}{}", valueOf(number), typeOf(number),
                                  marksCaches && recipe.steps[number].kind ==
                                                     BodyStep::Cache
                                      ? " {npu.cache_dim = 0}"
                                      : "",
                                  dimNames(number)));
    return fmt::format("{}", fmt::join(texts, ", "));
  }

  /// The names of an argument's dimensions, where the last prompt dimension has
  /// one of its own.
  std::string dimNames(unsigned number) const {
    if (recipe.lastExtent != LastExtent::Named)
      return "";
    std::optional<BodyDimension> last = lastOfSeveral(recipe);
    std::vector<std::string> names;
    const std::vector<BodyExtent> &shape = recipe.steps[number].shape;
    for (unsigned dim = 0; dim < shape.size(); ++dim) {
      bool isLast = last && last->step == number && last->dim == dim;
      names.push_back(shape[dim].kind != BodyExtent::Prompt ? "\"\""
                      : isLast                              ? "\"P\""
                                                            : "\"S\"");
    }
    return fmt::format(" {{npu.dim_names = [{}]}}", fmt::join(names, ", "));
  }

  /// A function that calls `main` with the prompt one entry short of the
  /// longest, and with one more in the last prompt dimension.
  std::string callWithLongerExtent(const std::string &results) const {
    std::optional<BodyDimension> last = lastOfSeveral(recipe);
    std::vector<std::string> values, types, given;
    std::string casts;
    for (unsigned number : arguments) {
      std::vector<BodyExtent> shape = recipe.steps[number].shape;
      for (unsigned dim = 0; dim < shape.size(); ++dim)
        if (shape[dim].kind == BodyExtent::Prompt)
          shape[dim] = {BodyExtent::Fixed,
                        recipe.longest - 1 +
                            (last && last->step == number && last->dim == dim)};
      std::string type = typeOf(shape, recipe.steps[number].type);
      given.push_back(fmt::format("{}: {}", valueOf(number), type));
      types.push_back(typeOf(number));
      values.push_back(valueOf(number));
      if (type == types.back())
        continue;
      values.back() += "_cast";
      casts += fmt::format("  {} = tensor.cast {} : {} to {}\n", values.back(),
                           valueOf(number), type, types.back());
    }
    return fmt::format("\nfunc.func @caller({}) {{\n{}  %called:{} = call "
                       "@main({}) : ({}) -> ({})\n  return\n}}\n",
                       fmt::join(given, ", "), casts, recipe.results.size(),
                       fmt::join(values, ", "), fmt::join(types, ", "),
                       results);
  }

  std::string callFromOffsets(const std::vector<std::string> &types) const {
    std::vector<std::string> values, given, all, returned;
    for (unsigned number : arguments) {
      values.push_back(valueOf(number));
      given.push_back(typeOf(number));
    }
    std::string calls;
    for (int64_t offset : kPrefillOffsets) {
      calls += fmt::format("  %offset{0} = arith.constant {0} : index\n"
                           "  %from{0}:{1} = call @prefill({2}, %offset{0}) : "
                           "({3}, index) -> ({4})\n",
                           offset, types.size(), fmt::join(values, ", "),
                           fmt::join(given, ", "), fmt::join(types, ", "));
      for (std::size_t i = 0; i < types.size(); ++i) {
        returned.push_back(fmt::format("%from{}#{}", offset, i));
        all.push_back(types[i]);
      }
    }
    std::string results = fmt::format("{}", fmt::join(all, ", "));
    return fmt::format(
        "\nfunc.func @main({}) -> ({}) {{\n{}  return {} : {}\n}}\n",
        signature(false), results, calls, fmt::join(returned, ", "), results);
  }

  void line(const std::string &text) { body += "  " + text + "\n"; }

  void writeLength() {
    for (unsigned number : arguments) {
      const std::vector<BodyExtent> &shape = recipe.steps[number].shape;
      auto found =
          std::find(shape.begin(), shape.end(), BodyExtent{BodyExtent::Prompt});
      if (found == shape.end())
        continue;
      line(fmt::format("%along = arith.constant {} : index",
                       found - shape.begin()));
      line(fmt::format("%n = tensor.dim {}, %along : {}", valueOf(number),
                       typeOf(number)));
      break;
    }
    if (recipe.offsetByAffine)
      line("%at = affine.apply affine_map<(d0) -> (d0)>(%offset)");
  }

  /// The text of an extent: a number, or the name of a value.
  std::string extentOf(const BodyExtent &extent) {
    if (extent.kind == BodyExtent::Fixed)
      return fmt::format("{}", extent.number);
    if (extent.kind == BodyExtent::Prompt)
      return "%n";
    for (const auto &[known, name] : extents)
      if (known == extent)
        return name;
    std::string name = fmt::format("%extent{}", extents.size());
    extents.emplace_back(extent, name);
    // Define the value in front of all operations that use it.
    head += extent.byAffine ? byAffine(extent, name) : byArith(extent, name);
    return name;
  }

  static std::string byAffine(const BodyExtent &extent,
                              const std::string &name) {
    const char *operation = extent.kind == BodyExtent::AtLeast ? "affine.max"
                            : extent.kind == BodyExtent::AtMost
                                ? "affine.min"
                                : "affine.apply";
    auto expr = [&]() -> std::string {
      switch (extent.kind) {
      case BodyExtent::Falling:
        return fmt::format("{} - s", extent.number);
      case BodyExtent::Multiple:
        return fmt::format("s * {}", extent.number);
      case BodyExtent::Longer:
        return fmt::format("s + {}", extent.number);
      case BodyExtent::Quotient:
        return fmt::format("s floordiv {}", extent.number);
      case BodyExtent::Remainder:
        return fmt::format("s mod {}", extent.number);
      default:
        return fmt::format("s, {}", extent.number);
      }
    };
    return fmt::format("  {} = {} affine_map<()[s] -> ({})>()[%n]\n", name,
                       operation, expr());
  }

  static std::string byArith(const BodyExtent &extent,
                             const std::string &name) {
    constexpr const char *kOperations[] = {"",      "",      "subi",
                                           "muli",  "addi",  "floordivsi",
                                           "remsi", "maxsi", "minsi"};
    bool falls = extent.kind == BodyExtent::Falling;
    return fmt::format("  {0}c = arith.constant {1} : index\n"
                       "  {0} = arith.{2} {3}, {4} : index\n",
                       name, extent.number, kOperations[extent.kind],
                       falls ? name + "c" : "%n", falls ? "%n" : name + "c");
  }

  std::string empty(const std::vector<BodyExtent> &shape, BodyType type) {
    std::vector<std::string> sizes;
    for (const BodyExtent &extent : shape)
      if (extent.kind != BodyExtent::Fixed)
        sizes.push_back(extentOf(extent));
    std::string name = fmt::format("%e{}", names++);
    line(fmt::format("{} = tensor.empty({}) : {}", name, fmt::join(sizes, ", "),
                     typeOf(shape, type)));
    return name;
  }

  void write(unsigned number) {
    const BodyStep &step = recipe.steps[number];
    std::string before = std::move(body);
    body.clear();
    head.clear();
    switch (step.kind) {
    case BodyStep::Argument:
    case BodyStep::Cache:
      break;
    case BodyStep::Table:
      writeTable(number);
      break;
    case BodyStep::Generic:
      writeGeneric(number);
      break;
    case BodyStep::Softmax: {
      std::string into = empty(step.shape, step.type);
      line(fmt::format("{} = linalg.softmax dimension({}) ins({} : {}) "
                       "outs({} : {}) -> {}",
                       valueOf(number), step.dim, valueOf(step.inputs[0].step),
                       typeOf(number), into, typeOf(number), typeOf(number)));
      break;
    }
    case BodyStep::Concat: {
      std::vector<std::string> values, types;
      for (const BodyInput &input : step.inputs) {
        values.push_back(valueOf(input.step));
        types.push_back(typeOf(input.step));
      }
      line(fmt::format("{} = tensor.concat dim({}) {} : ({}) -> {}",
                       valueOf(number), step.dim, fmt::join(values, ", "),
                       fmt::join(types, ", "), typeOf(number)));
      break;
    }
    case BodyStep::IntoCache: {
      unsigned rows = step.inputs[0].step, cache = step.inputs[1].step;
      line(fmt::format(
          "{} = tensor.insert_slice {} into {}[{}, 0] [%n, {}] [1, 1] : {} "
          "into {}",
          valueOf(number), valueOf(rows), valueOf(cache), offset(),
          step.shape[1].number, typeOf(rows), typeOf(cache)));
      break;
    }
    case BodyStep::TakeSlice:
    case BodyStep::PutSlice:
      writeSlice(number);
      break;
    }
    body = before + head + body;
  }

  void writeSlice(unsigned number) {
    const BodyStep &step = recipe.steps[number];
    bool takes = step.kind == BodyStep::TakeSlice;
    unsigned whole = step.inputs[takes ? 0 : 1].step;
    const std::vector<BodyExtent> &shape = recipe.steps[whole].shape;
    std::vector<std::string> offsets(shape.size(), "0"), sizes;
    for (const BodyExtent &extent : shape)
      sizes.push_back(extentOf(extent));
    offsets[step.dim] = fmt::format("{}", step.values[0]);
    sizes[step.dim] = "1";
    std::string at = fmt::format(
        "[{}] [{}] [{}]", fmt::join(offsets, ", "), fmt::join(sizes, ", "),
        fmt::join(std::vector<std::string>(shape.size(), "1"), ", "));
    unsigned from = step.inputs[0].step;
    line(fmt::format("{} = tensor.{} {}{}{} : {} {} {}", valueOf(number),
                     takes ? "extract_slice" : "insert_slice", valueOf(from),
                     takes ? "" : " into " + valueOf(whole), at, typeOf(from),
                     takes ? "to" : "into", typeOf(number)));
  }

  std::string offset() const {
    return recipe.offsetByAffine ? "%at" : "%offset";
  }

  void writeTable(unsigned number) {
    const BodyStep &step = recipe.steps[number];
    int64_t inner =
        step.shape.size() == 2 ? step.shape[1].number : step.shape[0].number;
    std::string text;
    for (std::size_t i = 0; i < step.values.size(); ++i) {
      if (i > 0)
        text += i % inner == 0 ? "], [" : ", ";
      text += literal(
          step.type, step.values[i],
          static_cast<int64_t>(isFloat(step.type) ? 0 : step.values[i]));
    }
    line(fmt::format("{} = arith.constant dense<{}[{}]{}> : {}",
                     valueOf(number), step.shape.size() == 2 ? "[" : "", text,
                     step.shape.size() == 2 ? "]" : "", typeOf(number)));
  }

  static std::string mapOf(std::size_t loops, const std::vector<int> &dims) {
    std::vector<std::string> from, to;
    for (std::size_t loop = 0; loop < loops; ++loop)
      from.push_back(fmt::format("d{}", loop));
    for (int dim : dims)
      to.push_back(dim < 0 ? "0" : fmt::format("d{}", dim));
    return fmt::format("affine_map<({}) -> ({})>", fmt::join(from, ", "),
                       fmt::join(to, ", "));
  }

  /// Writes the initial output of an operation and gives its name.
  std::string begin(unsigned number) {
    const BodyStep &step = recipe.steps[number];
    if (step.beginsAsInput)
      return valueOf(step.inputs.back().step);
    std::string into = empty(step.shape, step.type);
    // A reduction over no entries keeps the initial output at some lengths.
    bool reduces =
        std::any_of(step.loops.begin(), step.loops.end(),
                    [](const BodyLoop &loop) { return loop.reduces; });
    if (!reduces && !step.body.uses(BodyExpr::Accumulator))
      return into;
    std::string constant = fmt::format("%b{}", number);
    line(fmt::format(
        "{} = {}", constant,
        constantOf(step.type, step.begin.value, step.begin.number)));
    std::string filled = fmt::format("%f{}", number);
    line(fmt::format("{} = linalg.fill ins({} : {}) outs({} : {}) -> {}",
                     filled, constant, nameOf(step.type), into, typeOf(number),
                     typeOf(number)));
    return filled;
  }

  /// The values that the region of a step may use.
  ExprWriter::Surroundings surroundingsOf(const BodyStep &step) {
    ExprWriter::Surroundings around;
    around.loops = step.loops;
    around.length = "%n";
    around.offset = offset();
    around.valueOf = [&](unsigned other) { return valueOf(other); };
    around.typeOf = [&](unsigned other) { return typeOf(other); };
    around.shapeOf = [&](unsigned other) -> const std::vector<BodyExtent> & {
      return recipe.steps[other].shape;
    };
    around.extentOf = [&](const BodyExtent &extent) {
      return extentOf(extent);
    };
    return around;
  }

  void writeGeneric(unsigned number) {
    const BodyStep &step = recipe.steps[number];
    std::vector<std::string> values, types, maps, arguments;
    std::vector<bool> hasExtent(step.loops.size());
    for (int loop : step.outputLoops)
      hasExtent[loop] = true;
    std::size_t inputs = step.inputs.size() - step.beginsAsInput;
    for (std::size_t i = 0; i < inputs; ++i) {
      const BodyInput &input = step.inputs[i];
      values.push_back(valueOf(input.step));
      types.push_back(typeOf(input.step));
      maps.push_back(mapOf(step.loops.size(), input.loops));
      arguments.push_back(
          fmt::format("%in{}: {}", i, nameOf(recipe.steps[input.step].type)));
      for (int loop : input.loops)
        if (loop >= 0)
          hasExtent[loop] = true;
    }
    // The loops whose extents no operand gives.
    std::vector<int> rest;
    std::vector<BodyExtent> restShape;
    for (std::size_t loop = 0; loop < step.loops.size(); ++loop)
      if (!hasExtent[loop]) {
        rest.push_back(static_cast<int>(loop));
        restShape.push_back(step.loops[loop].extent);
      }
    if (!rest.empty()) {
      values.push_back(empty(restShape, BodyType::F32));
      types.push_back(typeOf(restShape, BodyType::F32));
      maps.push_back(mapOf(step.loops.size(), rest));
      arguments.emplace_back("%extents: f32");
    }
    std::string into = begin(number);
    maps.push_back(mapOf(step.loops.size(), step.outputLoops));
    arguments.push_back(fmt::format("%out: {}", nameOf(step.type)));
    std::vector<std::string> kinds;
    kinds.reserve(step.loops.size());
    for (const BodyLoop &loop : step.loops)
      kinds.emplace_back(loop.reduces ? "\"reduction\"" : "\"parallel\"");
    std::string ins =
        values.empty() ? ""
                       : fmt::format(" ins({} : {})", fmt::join(values, ", "),
                                     fmt::join(types, ", "));
    std::string region;
    ExprWriter expr(surroundingsOf(step), region, names);
    expr.writeIndices(step.body);
    std::string yielded = expr.write(step.body);
    line(fmt::format("{} = linalg.generic {{indexing_maps = [{}], "
                     "iterator_types = [{}]}}{} outs({} : {}) {{",
                     valueOf(number), fmt::join(maps, ", "),
                     fmt::join(kinds, ", "), ins, into, typeOf(number)));
    line(fmt::format("^bb0({}):", fmt::join(arguments, ", ")));
    body += region;
    body +=
        fmt::format("    linalg.yield {} : {}\n", yielded, nameOf(step.type));
    line(fmt::format("}} -> {}", typeOf(number)));
  }

  const BodyRecipe &recipe;
  std::vector<unsigned> arguments;
  std::vector<std::pair<BodyExtent, std::string>> extents;
  std::string body, head;
  unsigned names = 0;
};

} // namespace

std::string toText(const BodyRecipe &recipe) {
  return BodyWriter(recipe).text();
}

} // namespace npu
