// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// Steps with tensors without entries, and steps that make tensors with entries
// of them: reductions over no entries, concatenation, padding, insertion.

#include "npu-fuzz/Recipes/RecipeBuilder.h"
#include "npu-fuzz/Recipes/RecipeWriter.h"

#include <fmt/ranges.h>

namespace npu {
namespace {

/// The shape with the extent 0 in that dimension.
Extents without(Extents shape, int64_t dim) {
  shape[dim] = 0;
  return shape;
}

/// The numbers of a slice without entries: offset, size, stride and 0 for a
/// kept dimension, as "extract_slice" has them. Precondition: no extent is
/// zero, or upstream takes the slice to be out of bounds.
std::vector<int64_t> sliceWithout(RecipeBuilder &builder, const Extents &shape,
                                  int64_t dim) {
  std::vector<int64_t> numbers;
  for (int64_t each = 0; each < std::ssize(shape); ++each) {
    bool gone = each == dim;
    numbers.insert(numbers.end(), {gone ? builder.below(shape[each]) : 0,
                                   gone ? 0 : shape[each], 1, 0});
  }
  return numbers;
}

/// Proposes a step of another kind with an operand without entries.
void proposeFromNothing(RecipeBuilder &builder, const StepKind &) {
  auto value = builder.pickRanked();
  if (!value)
    return;
  const ValueFacts facts = builder[*value];
  auto rank = std::ssize(facts.shape);
  int64_t dim = builder.below(rank);
  Step step;
  bool isEmpty = Box::whole(facts.shape).volume() == 0;
  switch (isEmpty ? builder.between(2, 3) : builder.below(4)) {
  case 0:
    step = {&kindNamed(sliceKinds(), "extract_slice"),
            {*value},
            sliceWithout(builder, facts.shape, dim)};
    break;
  case 1: {
    step.kind = &kindNamed(sliceKinds(), "insert_slice");
    step.numbers = sliceWithout(builder, facts.shape, dim);
    unsigned part = builder.valueOf(without(facts.shape, dim), facts.type);
    step.operands = {part, *value};
    builder.add(std::move(step));
    return;
  }
  case 2: {
    unsigned part = builder.valueOf(without(facts.shape, dim), facts.type);
    step = {&kindNamed(sliceKinds(), "concat"), {part, *value}, {dim}};
    if (builder.oneIn(3))
      step.operands.push_back(part);
    builder.shuffle(step.operands);
    break;
  }
  default:
    step = {&kindNamed(sliceKinds(), "pad"),
            {builder.valueOf(without(facts.shape, dim), facts.type)}};
    for (int64_t i = 0; i < 2 * rank; ++i)
      step.numbers.push_back(builder.below(3));
  }
  builder.addWithLayout(std::move(step));
}

/// What the body of a reduction over no entries does: overwrite, add, take the
/// maximum; or the same without reading the reduced operand.
enum OverNothing : int64_t {
  Overwrites,
  Sums,
  TakesMost,
  WritesOne,
  FormCount
};

/// Operands: the reduced tensor, and the initial value. Numbers: the form,
/// whether it is a named reduction, the dimension.
void proposeOver(RecipeBuilder &builder, const StepKind &kind) {
  auto value = builder.pickRanked();
  if (!value)
    return;
  const ValueFacts facts = builder[*value];
  int64_t dim = builder.below(std::ssize(facts.shape));
  unsigned nothing = builder.valueOf(without(facts.shape, dim), facts.type);
  Extents kept;
  for (int64_t other = 0; other < std::ssize(facts.shape); ++other)
    if (other != dim)
      kept.push_back(facts.shape[other]);
  unsigned stays = builder.valueOf(kept, facts.type);
  int64_t form = builder.below(FormCount);
  bool named = (form == Sums || form == TakesMost) && builder.oneIn(2);
  builder.add({&kind, {nothing, stays}, {form, named, dim}});
}

std::optional<ValueFacts> inferOver(const Step &step, const Operands &operands,
                                    bool) {
  const ValueFacts &nothing = *operands[0], &stays = *operands[1];
  int64_t dim = step.numbers[2];
  if (nothing.type != stays.type || dim >= std::ssize(nothing.shape) ||
      stays.scalar || nothing.shape[dim] != 0)
    return std::nullopt;
  Extents kept;
  for (int64_t other = 0; other < std::ssize(nothing.shape); ++other)
    if (other != dim)
      kept.push_back(nothing.shape[other]);
  if (kept != stays.shape)
    return std::nullopt;
  ValueFacts result = stays;
  result.second = nullptr;
  return result;
}

void writeOver(const Step &step, const Operands &operands,
               const ValueFacts &result, RecipeWriter &writer) {
  std::string element = nameOf(result.type), type = writer.type(result),
              from = writer.type(*operands[0]);
  bool floats = isFloat(result.type);
  const char *op = step.numbers[0] == TakesMost
                       ? floats ? "arith.maximumf" : "arith.maxsi"
                   : floats ? "arith.addf"
                            : "arith.addi";
  int64_t dim = step.numbers[2];
  if (step.numbers[1])
    return writer.line(
        "{} = linalg.reduce {{ {} }} ins({} : {}) outs({} : {}) dimensions = "
        "[{}]",
        writer.result(), op, writer.operand(0), from, writer.operand(1), type,
        dim);
  std::size_t loops = operands[0]->shape.size();
  std::vector<int64_t> kept;
  std::vector<std::string> iterators(loops, "\"parallel\"");
  iterators[dim] = "\"reduction\"";
  for (std::size_t loop = 0; loop < loops; ++loop)
    if (static_cast<int64_t>(loop) != dim)
      kept.push_back(static_cast<int64_t>(loop));
  writer.line("{} = linalg.generic {{indexing_maps = [{}, {}], iterator_types "
              "= [{}]}} ins({} : {}) outs({} : {}) {{",
              writer.result(), mapOf(loops, identityPermutation(loops).span()),
              mapOf(loops, kept), fmt::join(iterators, ", "), writer.operand(0),
              from, writer.operand(1), type);
  writer.line("^bb0(%a: {0}, %old: {0}):", element);
  std::string yielded = "%new";
  if (step.numbers[0] == Overwrites)
    yielded = "%a";
  else if (step.numbers[0] == WritesOne)
    writer.line("  %new = arith.constant {}", typedLiteral(result.type, 1));
  else
    writer.line("  %new = {} %a, %old : {}", op, element);
  writer.line("  linalg.yield {} : {}", yielded, element);
  writer.line("}} -> {}", type);
}

/// The first row proposes steps of other kinds, so that it infers and writes
/// nothing.
constexpr StepKind kKinds[] = {
    {"from nothing", proposeFromNothing, nullptr, nullptr},
    {"over nothing", proposeOver, inferOver, writeOver},
};

} // namespace

std::span<const StepKind> nothingKinds() { return kKinds; }

} // namespace npu
