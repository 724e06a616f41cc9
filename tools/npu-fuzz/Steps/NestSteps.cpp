// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// Steps that are loop nests with expressions, and what stands beside them:
// tables, and caches that rows are put into.

#include "npu-fuzz/Recipes/ExprWriter.h"

#include <fmt/ranges.h>

namespace npu {
namespace {

void proposeNothing(RecipeBuilder &, const StepKind &) {}

/// The value has the extents that the step says.
std::optional<ValueFacts> inferByExtents(const Step &step, const Operands &,
                                         bool) {
  return factsWith(step, shapeAt(step.extents), step.type, 1);
}

/// Writes the initial output of an operation and gives its name.
std::string writeBegin(const Step &step, const ValueFacts &result,
                       RecipeWriter &writer) {
  const LoopNest &nest = *step.nest;
  if (nest.beginsAsOperand)
    return writer.operand(nest.inputs.size());
  // A reduction over no entries keeps the initial output at some lengths.
  if (!nest.reduces() && !nest.body.uses(Expr::Accumulator))
    return writer.empty(result);
  return writer.filled(result, nest.begin.value);
}

void writeNest(const Step &step, const Operands &operands,
               const ValueFacts &result, RecipeWriter &writer) {
  const LoopNest &nest = *step.nest;
  std::size_t loops = nest.loops.size();
  std::vector<std::string> values, types, maps, arguments, kinds;
  std::vector<bool> hasExtent(loops);
  for (int64_t loop : nest.output)
    hasExtent[loop] = true;
  for (auto [i, map] : llvm::enumerate(nest.inputs)) {
    values.push_back(writer.operand(i));
    types.push_back(writer.type(*operands[i]));
    maps.push_back(mapOf(loops, map));
    arguments.push_back(fmt::format("%in{}: {}", i, nameOf(operands[i]->type)));
    for (const AffineIndex &index : map)
      if (index.form == AffineIndex::Plain)
        hasExtent[index.loop] = true;
  }
  // The loops whose extents no operand gives.
  std::vector<int64_t> rest;
  ValueFacts shaped;
  for (std::size_t loop = 0; loop < loops; ++loop)
    if (!hasExtent[loop]) {
      rest.push_back(static_cast<int64_t>(loop));
      shaped.extents.push_back(nest.loops[loop].extent);
    }
  if (!rest.empty()) {
    shaped.shape = shapeAt(shaped.extents);
    values.push_back(writer.empty(shaped));
    types.push_back(writer.type(shaped));
    maps.push_back(mapOf(loops, rest));
    arguments.emplace_back("%extents: f32");
  }
  std::string into = writeBegin(step, result, writer),
              element = nameOf(result.type), type = writer.type(result);
  maps.push_back(mapOf(loops, nest.output));
  arguments.push_back("%out: " + element);
  for (const Loop &loop : nest.loops)
    kinds.emplace_back(loop.reduces ? "\"reduction\"" : "\"parallel\"");
  writer.line("{} = linalg.generic {{indexing_maps = {}, iterator_types = "
              "{}}}{} outs({} : {}) {{",
              writer.result(), listOf(maps), listOf(kinds),
              values.empty()
                  ? ""
                  : fmt::format(" ins({} : {})", fmt::join(values, ", "),
                                fmt::join(types, ", ")),
              into, type);
  writer.line("^bb0({}):", fmt::join(arguments, ", "));
  ExprWriter body(step, operands, writer);
  body.writeIndices();
  std::string yielded = body.write(nest.body);
  writer.line("  linalg.yield {} : {}", yielded, element);
  writer.line("}} -> {}", type);
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

const StepKind nestKind = {"nest", proposeNothing, inferByExtents, writeNest};
const StepKind tableKind = {"numbers", proposeNothing, inferByExtents,
                            writeTable};
const StepKind cacheKind = {"cache", proposeNothing, inferByExtents,
                            writeNothing};
const StepKind intoCacheKind = {"into cache", proposeNothing, inferByExtents,
                                writeIntoCache};

} // namespace npu
