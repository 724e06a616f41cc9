// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// Steps that are loop nests with expressions, and what stands beside them:
// tables, and caches that rows are put into.

#include "npu-fuzz/Recipes/ExprWriter.h"
#include "npu-fuzz/Recipes/NestRules.h"

#include <fmt/ranges.h>

namespace npu {
namespace {

void proposeNothing(RecipeBuilder &, const StepKind &) {}

/// The value has the extents that the step says.
std::optional<ValueFacts> inferByExtents(const Step &step, const Operands &,
                                         bool) {
  return factsWith(step, shapeAt(step.extents), step.type, 1);
}

std::optional<ValueFacts> inferNest(const Step &step, const Operands &operands,
                                    bool exact) {
  return step.nest->isChecked ? inferChecked(step, operands, exact)
                              : inferByExtents(step, operands, exact);
}

/// Writes the initial outputs of an operation and gives their names.
std::string writeBegin(const Step &step, std::size_t number,
                       const ValueFacts &result, RecipeWriter &writer) {
  const LoopNest &nest = *step.nest;
  if (nest.beginsAsOperand)
    return writer.operand(nest.inputs.size() + number);
  // A reduction over no entries keeps the initial output at some lengths.
  if (nest.begins.empty() ||
      (!nest.isChecked && !nest.reduces() && !nest.usesAccumulator()))
    return writer.empty(result);
  return writer.filled(result, nest.begins[number].value);
}

/// Writes the operation of the body on whole tensors.
void writeOnTensors(const Step &step, const Operands &operands,
                    const ValueFacts &result, RecipeWriter &writer) {
  const Expr &body = step.nest->bodies[0];
  std::vector<std::string> names, types = {writer.type(result)};
  for (const Expr &operand : body.operands)
    names.push_back(writer.operand(operand.number));
  std::string op = body.name;
  if (body.form == Expr::Compare) {
    op = fmt::format("arith.cmp{} {},", isFloat(operands[0]->type) ? "f" : "i",
                     op);
    types = {writer.type(*operands[0])};
  }
  if (body.form == Expr::Select) {
    op = "arith.select";
    if (body.operands[0].form == Expr::Input)
      types.insert(types.begin(), writer.type(*operands[0]));
  }
  writer.line("{} = {} {} : {}", writer.result(), op, fmt::join(names, ", "),
              fmt::join(types, ", "));
}

void writeNest(const Step &step, const Operands &operands,
               const ValueFacts &result, RecipeWriter &writer) {
  const LoopNest &nest = *step.nest;
  if (nest.form == LoopNest::OnTensors)
    return writeOnTensors(step, operands, result, writer);
  std::size_t loops = nest.loops.size();
  std::vector<std::string> values, types, maps, arguments, kinds;
  std::vector<bool> hasExtent(loops);
  auto index = [&](const std::vector<AffineIndex> &map) {
    maps.push_back(mapOf(loops, map));
    for (const AffineIndex &each : map)
      if (each.form == AffineIndex::Plain)
        hasExtent[each.loop] = true;
  };
  for (auto [i, map] : llvm::enumerate(nest.inputs)) {
    values.push_back(writer.operand(i));
    types.push_back(writer.type(*operands[i]));
    index(map);
    arguments.push_back(fmt::format("%in{}: {}", i, nameOf(operands[i]->type)));
  }
  std::vector<std::string> inputMaps = std::exchange(maps, {});
  for (const auto &map : nest.outputs)
    index(map);
  // The loops whose extents no operand gives.
  std::vector<int64_t> rest;
  ValueFacts shaped;
  for (std::size_t loop = 0; loop < loops && !nest.isChecked; ++loop)
    if (!hasExtent[loop]) {
      rest.push_back(static_cast<int64_t>(loop));
      shaped.extents.push_back(nest.loops[loop].extent);
    }
  if (!rest.empty()) {
    shaped.shape = shapeAt(shaped.extents);
    values.push_back(writer.empty(shaped));
    types.push_back(writer.type(shaped));
    inputMaps.push_back(mapOf(loops, rest));
    arguments.emplace_back("%extents: f32");
  }
  maps.insert(maps.begin(), inputMaps.begin(), inputMaps.end());
  std::vector<std::string> into, results, elements;
  std::vector<int64_t> reduced;
  for (std::size_t i = 0; i < nest.outputs.size(); ++i) {
    const ValueFacts &made = i ? *result.second : result;
    into.push_back(writeBegin(step, i, made, writer));
    results.push_back(writer.type(made));
    elements.push_back(nameOf(made.type));
    arguments.push_back((i ? "%other: " : "%out: ") + elements.back());
  }
  for (std::size_t loop = 0; loop < loops; ++loop) {
    bool reduces = nest.isChecked
                       ? isReduction(nest, static_cast<int64_t>(loop))
                       : nest.loops[loop].reduces;
    kinds.emplace_back(reduces ? "\"reduction\"" : "\"parallel\"");
    if (reduces)
      reduced.push_back(static_cast<int64_t>(loop));
  }
  std::string name = writer.result(),
              around = fmt::format(
                  "{}outs({} : {})",
                  values.empty()
                      ? ""
                      : fmt::format("ins({} : {}) ", fmt::join(values, ", "),
                                    fmt::join(types, ", ")),
                  fmt::join(into, ", "), fmt::join(results, ", "));
  if (nest.form == LoopNest::Generic) {
    writer.line("{}{} = linalg.generic {{indexing_maps = {}, iterator_types = "
                "{}}} {} {{",
                name, nest.outputs.size() == 2 ? ":2" : "", listOf(maps),
                listOf(kinds), around);
    writer.line("^bb0({}):", fmt::join(arguments, ", "));
  } else {
    bool reduces = nest.form == LoopNest::Reduce;
    const Expr &body = nest.bodies[0];
    if (reduces && body.form == Expr::Simple &&
        body.operands[0].form == Expr::Input &&
        body.operands[1].form == Expr::Accumulator)
      return writer.line("{} = linalg.reduce {{ {} }} {} dimensions = {}", name,
                         body.name, around, listOf(reduced));
    writer.line("{} = linalg.{} {}{}", name, reduces ? "reduce" : "map", around,
                reduces ? " dimensions = " + listOf(reduced) : "");
    writer.line("({}) {{", fmt::join(arguments, ", "));
  }
  ExprWriter body(step, operands, writer);
  body.writeIndices();
  std::vector<std::string> yielded;
  for (const Expr &each : nest.bodies)
    yielded.push_back(body.write(each));
  writer.line("  linalg.yield {} : {}", fmt::join(yielded, ", "),
              fmt::join(elements, ", "));
  if (nest.form == LoopNest::Generic)
    writer.line("}} -> ({})", fmt::join(results, ", "));
  else
    writer.line("}}");
  if (nest.outputs.size() == 2)
    writer.callResult(name + "#0");
}

void writeTable(const Step &step, const Operands &, const ValueFacts &result,
                RecipeWriter &writer) {
  std::size_t next = 0;
  writer.line("{} = arith.constant dense<{}> : {}", writer.result(),
              nested(result.shape.span(),
                     [&] { return literal(result.type, step.values[next++]); }),
              writer.type(result));
}

/// Operands: rows, and the cache that they are put into at the offset.
void writeIntoCache(const Step &, const Operands &operands,
                    const ValueFacts &result, RecipeWriter &writer) {
  writer.line("{} = tensor.insert_slice {} into {}[{}, 0] [%n, {}] [1, 1] : {} "
              "into {}",
              writer.result(), writer.operand(0), writer.operand(1),
              writer.offset(), result.shape[1], writer.type(*operands[0]),
              writer.type(result));
}

void writeNothing(const Step &, const Operands &, const ValueFacts &,
                  RecipeWriter &) {}

} // namespace

const StepKind nestKind = {"nest", proposeNothing, inferNest, writeNest};
const StepKind tableKind = {"numbers", proposeNothing, inferByExtents,
                            writeTable};
const StepKind cacheKind = {"cache", proposeNothing, inferByExtents,
                            writeNothing};
const StepKind intoCacheKind = {"into cache", proposeNothing, inferByExtents,
                                writeIntoCache};

} // namespace npu
