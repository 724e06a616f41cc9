// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// Steps whose regions make and change tensors for each entry: in a generic, a
// map or a tensor.generate. Of tensors with layouts, regions only read single
// entries.

#include "npu-fuzz/Recipes/ElementwiseRows.h"
#include "npu-fuzz/Recipes/RecipeBuilder.h"
#include "npu-fuzz/Recipes/RecipeWriter.h"

namespace npu {
namespace {

enum Around : int64_t { InGeneric, InMap, InGenerate, AroundCount };

/// What the region does: it reads an entry of the table; puts entries together
/// and takes one of them; puts an entry into the table; takes a part of the
/// table; puts the table's end over its begin; or has an operation on the whole
/// table.
enum Inside : int64_t {
  Reads,
  PutsTogether,
  Inserts,
  Cuts,
  Shifts,
  Computes,
  InsideCount
};

/// Operands: the table, of rank 1, and the input, where there is one. Numbers:
/// the enclosing operation, the kind of region (Inside), a row; then the shape
/// where there is no input.
void proposeInside(RecipeBuilder &builder, const StepKind &kind) {
  Step step{&kind};
  int64_t around = builder.below(AroundCount),
          inside = builder.below(InsideCount);
  ElementType type = builder.mainType();
  auto table = builder.pick([&](const ValueFacts &value) {
    return value.type == type && value.shape.size() == 1 &&
           value.shape[0] > 0 && value.shape[0] <= 64 &&
           (inside <= PutsTogether || value.layout == Layout());
  });
  if (!table || builder.oneIn(3)) {
    Step argument{&argumentKind, {}, {builder.between(1, 9)}};
    argument.type = type;
    if (inside <= PutsTogether)
      argument.layout = builder.layout(Extents(std::span(argument.numbers)));
    table = builder.add(std::move(argument));
  }
  step.operands = {*table};
  step.numbers = {around, inside,
                  builder.below(std::ssize(rowsFor(type, true)))};
  Extents shape = builder.shape(3);
  if (around == InGenerate)
    step.numbers.insert(step.numbers.end(), shape.begin(), shape.end());
  else {
    auto input = builder.pick(
        [&](const ValueFacts &value) { return value.type == type; });
    step.operands.push_back(
        input && !builder.oneIn(4) ? *input : builder.argument(shape, type));
  }
  builder.addWithLayout(std::move(step));
}

std::optional<ValueFacts> inferInside(const Step &step,
                                      const Operands &operands, bool exact) {
  const ValueFacts &table = *operands[0], &input = *operands.back();
  auto rows = rowsFor(table.type, true);
  int64_t inside = step.numbers[1];
  if (table.shape.size() != 1 || table.shape[0] == 0 || input.scalar ||
      input.type != table.type || step.numbers[2] >= std::ssize(rows) ||
      (inside > PutsTogether && table.layout != Layout()))
    return std::nullopt;
  double most = std::max(table.most, input.most);
  const ElementwiseRow &row = rows[step.numbers[2]];
  if (inside == Computes) {
    if (exact && !row.isExact)
      return std::nullopt;
    most = row.most(table.most, table.most);
  }
  Extents shape = input.shape;
  if (step.numbers[0] == InGenerate)
    shape = Extents(std::span(step.numbers).subspan(3));
  if (!mayReach(table.type, most, exact) ||
      Box::whole(shape).volume() * table.shape[0] > 100000)
    return std::nullopt;
  return factsWith(step, shape, table.type, most);
}

/// Writes the operations of the region and gives the name of the yielded value.
/// `entry` names the input's entry, or is empty.
std::string writeRegion(const Step &step, const ValueFacts &table,
                        std::string entry, RecipeWriter &writer) {
  std::string type = writer.type(table), name = writer.operand(0),
              element = nameOf(table.type);
  int64_t extent = table.shape[0], shorter = std::max<int64_t>(1, extent - 1);
  auto number = [&](const char *as, int64_t value) {
    writer.line("  %{} = arith.constant {} : index", as, value);
  };
  number("extent", extent);
  number("one", 1);
  writer.line("  %at = arith.remui %i, %extent : index");
  writer.line("  %next = arith.addi %at, %one : index");
  writer.line("  %after = arith.remui %next, %extent : index");
  if (entry.empty() || step.numbers[1] == Reads) {
    writer.line("  %entry = tensor.extract {}[%at] : {}", name, type);
    if (step.numbers[1] == Reads)
      return "%entry";
    entry = "%entry";
  }
  std::string part = fmt::format("tensor<{}x{}>", shorter, element);
  switch (step.numbers[1]) {
  case PutsTogether:
    number("two", 2);
    writer.line("  %odd = arith.remui %i, %two : index");
    writer.line("  %read = tensor.extract {}[%after] : {}", name, type);
    writer.line("  %both = tensor.from_elements {}, %read : tensor<2x{}>",
                entry, element);
    writer.line("  %new = tensor.extract %both[%odd] : tensor<2x{}>", element);
    break;
  case Inserts:
    writer.line("  %all = tensor.insert {} into {}[%at] : {}", entry, name,
                type);
    writer.line("  %new = tensor.extract %all[%after] : {}", type);
    break;
  case Cuts:
  case Shifts:
    writer.line("  %part = tensor.extract_slice {}[{}] [{}] [1] : {} to {}",
                name, extent - shorter, shorter, type, part);
    if (step.numbers[1] == Cuts) {
      number("shorter", shorter);
      writer.line("  %within = arith.remui %i, %shorter : index");
      writer.line("  %new = tensor.extract %part[%within] : {}", part);
      break;
    }
    writer.line("  %all = tensor.insert_slice %part into {}[0] [{}] [1] : {} "
                "into {}",
                name, shorter, part, type);
    writer.line("  %new = tensor.extract %all[%at] : {}", type);
    break;
  default:
    writer.line("  %all = {} {}, {} : {}",
                rowsFor(table.type, true)[step.numbers[2]].op, name, name,
                type);
    writer.line("  %new = tensor.extract %all[%at] : {}", type);
  }
  return "%new";
}

/// Writes the row-major number of the position as %i.
void writePosition(std::size_t rank, const char *index, RecipeWriter &writer) {
  writer.line("  %i{} = arith.constant 0 : index", rank ? "_start" : "");
  for (std::size_t dim = 0; dim < rank; ++dim) {
    std::string before =
        dim ? fmt::format("%i_{}", dim - 1) : std::string("%i_start");
    std::string counter = fmt::format("%d{}", dim);
    if (index)
      writer.line("  {} = {} {} : index", counter, index, dim);
    writer.line("  %i{} = arith.addi {}, {} : index",
                dim + 1 == rank ? "" : fmt::format("_{}", dim), before,
                counter);
  }
}

void writeInside(const Step &step, const Operands &operands,
                 const ValueFacts &result, RecipeWriter &writer) {
  std::size_t rank = result.shape.size();
  std::string element = nameOf(result.type), type = writer.type(result);
  const ValueFacts &table = *operands[0];
  if (step.numbers[0] == InGenerate) {
    std::string arguments;
    for (std::size_t dim = 0; dim < rank; ++dim)
      arguments += fmt::format("{}%d{}: index", dim ? ", " : "", dim);
    writer.line("{} = tensor.generate {{", writer.result());
    if (rank)
      writer.line("^bb0({}):", arguments);
    writePosition(rank, nullptr, writer);
    std::string yielded = writeRegion(step, table, "", writer);
    writer.line("  tensor.yield {} : {}", yielded, element);
    return writer.line("}} : {}", type);
  }
  std::string empty = writer.empty(result), input = writer.operand(1),
              from = writer.type(*operands[1]),
              identity = mapOf(rank, identityPermutation(rank).span());
  bool isMap = step.numbers[0] == InMap;
  if (isMap) {
    writer.line("{} = linalg.map ins({} : {}) outs({} : {})", writer.result(),
                input, from, empty, type);
    writer.line("(%a: {0}, %old: {0}) {{", element);
  } else {
    writer.line("{} = linalg.generic {{indexing_maps = [{}, {}], "
                "iterator_types = {}}} ins({} : {}) outs({} : {}) {{",
                writer.result(), identity, identity, parallelLoops(rank), input,
                from, empty, type);
    writer.line("^bb0(%a: {0}, %old: {0}):", element);
  }
  writePosition(rank, "linalg.index", writer);
  std::string yielded = writeRegion(step, table, "%a", writer);
  writer.line("  linalg.yield {} : {}", yielded, element);
  if (isMap)
    writer.line("}}");
  else
    writer.line("}} -> {}", type);
}

constexpr StepKind kKinds[] = {
    {"tensors inside", proposeInside, inferInside, writeInside},
    {"tensors inside", proposeInside, inferInside, writeInside},
};

} // namespace

std::span<const StepKind> bodyTensorKinds() { return kKinds; }

} // namespace npu
