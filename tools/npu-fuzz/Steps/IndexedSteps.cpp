// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// Steps that are generics whose operands and results are indexed by any
// quasi-affine functions of their loops, with bodies that use positions.

#include "npu-fuzz/Recipes/RecipeBuilder.h"
#include "npu-fuzz/Recipes/RecipeWriter.h"
#include "npu-fuzz/Steps/IndexedGeneric.h"

#include <fmt/ranges.h>

#include <algorithm>

namespace npu {
namespace {

std::optional<ValueFacts> inferIndexed(const Step &step,
                                       const Operands &operands, bool exact) {
  std::optional<Indexed> op = indexedOf(step, operands);
  if (!op || op->maps.back().size() > kMaxRank)
    return std::nullopt;
  ElementType type = operands[0]->type;
  double most = 9;
  for (const ValueFacts *operand : operands) {
    if (operand->type != type)
      return std::nullopt;
    most = std::max(most, operand->most);
  }
  auto extents = loopExtents(*op, operands);
  if (!extents || op->first >= op->loops || op->second >= op->loops)
    return std::nullopt;
  for (int64_t input = 0; input < op->inputs; ++input)
    if (!fits(op->maps[input], *extents, operands[input]->shape))
      return std::nullopt;
  if (!writesOnce(*op, *extents) || !bodyIsSafe(*op, type, *extents, exact))
    return std::nullopt;
  double terms = 3;
  for (int64_t extent : *extents)
    terms *= static_cast<double>(extent);
  // Add the magnitudes of the positions.
  most = most * terms + terms;
  if (!mayReach(type, most, exact))
    return std::nullopt;
  Extents shape;
  for (const AffineIndex &index : op->maps.back()) {
    Range values = valuesOf(index, *extents);
    if (values.begin < 0)
      return std::nullopt;
    shape.push_back(values.end +
                    (index.form == AffineIndex::Plain ? 0 : op->slack));
  }
  ValueFacts result = factsWith(step, shape, type, most);
  if (op->hasInit) {
    const ValueFacts &init = *operands.back();
    if (!fits(op->maps.back(), *extents, init.shape))
      return std::nullopt;
    result.shape = init.shape;
    result.layout = init.layout;
  }
  return result;
}

/// A random map of the output: every loop once, in any order, and at times
/// other forms.
std::vector<AffineIndex> randomOutput(RecipeBuilder &builder,
                                      std::span<const int64_t> loops) {
  std::vector<AffineIndex> map;
  for (int64_t loop : builder.permutation(loops.size()))
    map.push_back({AffineIndex::Plain, loop});
  switch (builder.below(6)) {
  case 0: // any of its loops, as it comes
    map[builder.below(std::ssize(map))] = randomIndex(builder, loops);
    break;
  case 1: // two as one
    if (map.size() > 1) {
      map[0] = {AffineIndex::Combined, map[0].loop, map[1].loop,
                loops[map[1].loop]};
      map.erase(map.begin() + 1);
    }
    break;
  case 2: // a diagonal, or a constant
    map.insert(map.begin() + builder.below(std::ssize(map) + 1),
               builder.oneIn(2) ? map[0]
                                : AffineIndex{AffineIndex::Constant, 0, 0, 1,
                                              builder.below(2)});
    break;
  case 3: // one is summed over
    map.erase(map.begin());
    break;
  default:
    break;
  }
  return map;
}

/// A random map of an input over the loops; the input has the shape that the
/// map reaches.
std::vector<AffineIndex> randomInput(RecipeBuilder &builder,
                                     std::span<const int64_t> loops,
                                     Extents &shape) {
  std::vector<AffineIndex> map;
  for (int64_t rank = builder.between(1, 3); rank > 0; --rank) {
    AffineIndex index = randomIndex(builder, loops);
    Range values = valuesOf(index, loops);
    if (values.begin < 0)
      continue;
    map.push_back(index);
    shape.push_back(values.end +
                    (index.form != AffineIndex::Plain && builder.oneIn(4)));
  }
  return map;
}

/// A map of the first input, whose dimensions are mostly plain loops.
std::vector<AffineIndex> mapOfFirst(RecipeBuilder &builder,
                                    std::span<const int64_t> loops,
                                    const Extents &shape) {
  std::vector<AffineIndex> map;
  for (auto [dim, extent] : llvm::enumerate(shape)) {
    AffineIndex index{AffineIndex::Plain, static_cast<int64_t>(dim)};
    if (loops[dim] != extent || builder.oneIn(3))
      index = randomIndexWithin(builder, loops, extent)
                  .value_or(
                      AffineIndex{AffineIndex::Constant, 0, 0, 1, extent / 2});
    map.push_back(index);
  }
  return map;
}

/// The extent of the only loop that no input has, if there is one; else that of
/// any loop.
int64_t extentOfOutputLoop(RecipeBuilder &builder, const Indexed &op,
                           std::span<const int64_t> loops) {
  int64_t extent = loops[builder.below(op.loops)];
  for (int64_t loop = 0; loop < op.loops; ++loop) {
    bool known = false;
    for (int64_t input = 0; input < op.inputs; ++input)
      known |= llvm::any_of(op.maps[input], [&](auto &index) {
        return index.form == AffineIndex::Plain && index.loop == loop;
      });
    if (!known)
      extent = loops[loop];
  }
  return extent;
}

void proposeIndexed(RecipeBuilder &builder, const StepKind &kind) {
  auto value = builder.pick([](const ValueFacts &value) {
    return !value.shape.empty() && value.shape.size() <= 4 &&
           Box::whole(value.shape).volume() > 0;
  });
  if (!value)
    return;
  const ValueFacts first = builder[*value];
  Step step{&kind, {*value}};
  // There is a loop for each dimension of the first input, most of which are
  // plain dimensions, and at times one more.
  Indexed op;
  std::vector<int64_t> loops(first.shape.begin(), first.shape.end());
  for (int64_t &extent : loops)
    if (builder.oneIn(3))
      extent = std::max<int64_t>(
          1, builder.oneIn(2) ? extent * builder.between(2, 4) : extent / 2);
  if (builder.oneIn(3) && loops.size() < 4)
    loops.push_back(builder.between(1, 5));
  op.loops = std::ssize(loops);
  op.maps.push_back(mapOfFirst(builder, loops, first.shape));
  if (builder.oneIn(2)) {
    Extents shape;
    op.maps.push_back(randomInput(builder, loops, shape));
    if (Box::whole(shape).volume() > 4000)
      return;
    step.operands.push_back(builder.valueOf(shape, first.type));
    ++op.inputs;
  }
  op.maps.push_back(randomOutput(builder, loops));
  op.body = static_cast<Body>(builder.below(BodyCount));
  if (!bodyIsSafe(op, first.type, loops, builder.exact()))
    op.body = Accumulate;
  if (!bodyIsSafe(op, first.type, loops, builder.exact()))
    op.body = AccumulateMost;
  op.first = builder.below(op.loops);
  op.second = builder.below(op.loops);
  op.slack = builder.oneIn(3) ? builder.below(3) : 0;
  op.extent = extentOfOutputLoop(builder, op, loops);
  step.numbers = numbersOf(op);
  if (builder.oneIn(3)) {
    Operands operands;
    for (unsigned operand : step.operands)
      operands.push_back(&builder[operand]);
    if (auto result = inferIndexed(step, operands, builder.exact());
        result && Box::whole(result->shape).volume() <= 2000) {
      op.hasInit = 1;
      step.operands.push_back(builder.valueOf(result->shape, first.type));
      step.numbers = numbersOf(op);
      builder.add(std::move(step));
      return;
    }
  }
  builder.addWithLayout(std::move(step));
}

/// Writes the position of a loop as an element with that name.
void writeCount(RecipeWriter &writer, const char *name, int64_t loop,
                ElementType type) {
  writer.line("  %{}_i = linalg.index {} : index", name, loop);
  if (!isFloat(type))
    return writer.line("  %{0} = arith.index_cast %{0}_i : index to {1}", name,
                       nameOf(type));
  writer.line("  %{0}_n = arith.index_cast %{0}_i : index to i32", name);
  writer.line("  %{0} = arith.sitofp %{0}_n : i32 to {1}", name, nameOf(type));
}

void writeBody(const Indexed &op, ElementType element, RecipeWriter &writer) {
  std::string type = nameOf(element);
  const char *b = op.inputs == 2 ? "%b" : "%a";
  const char *suffix = isFloat(element) ? "f" : "i";
  const char *most = isFloat(element) ? "arith.maximumf" : "arith.maxsi";
  switch (op.body) {
  case Copy:
    break;
  case Add:
    writer.line("  %new = arith.add{} %a, {} : {}", suffix, b, type);
    break;
  case Most:
    writer.line("  %new = {} %a, {} : {}", most, b, type);
    break;
  case AddIndex:
    writeCount(writer, "count", op.first, element);
    writer.line("  %new = arith.add{} {}, %count : {}", suffix, b, type);
    break;
  case SelectByIndex: {
    writer.line("  %first = linalg.index {} : index", op.first);
    writer.line("  %second = linalg.index {} : index", op.second);
    writer.line("  %limit = arith.constant {} : index", op.slack + 1);
    writer.line("  %later = arith.addi %second, %limit : index");
    writer.line("  %which = arith.cmpi slt, %first, {} : index",
                op.first == op.second ? "%limit" : "%later");
    const char *other = op.inputs == 2 ? "%b" : "%zero";
    if (op.inputs == 1)
      writer.line("  %zero = arith.constant {}", typedLiteral(element, 0));
    writer.line("  %new = arith.select %which, %a, {} : {}", other, type);
    break;
  }
  case Accumulate:
    writer.line("  %new = arith.add{} %old, {} : {}", suffix, b, type);
    break;
  default:
    writer.line("  %new = {} %old, {} : {}", most, b, type);
    break;
  }
  writer.line("  linalg.yield {} : {}", op.body == Copy ? "%a" : "%new", type);
}

void writeIndexed(const Step &step, const Operands &operands,
                  const ValueFacts &result, RecipeWriter &writer) {
  Indexed op = *indexedOf(step, operands);
  // Entries that are not written keep the values of the initial output, which
  // must be defined.
  std::string init = op.hasInit
                         ? writer.operand(operands.size() - 1)
                         : writer.filled(result, isFloat(result.type) ? -7 : 1);
  std::vector<std::string> maps, iterators, names, types;
  for (const auto &map : op.maps)
    maps.push_back(mapOf(op.loops, map));
  for (int64_t loop = 0; loop < op.loops; ++loop)
    iterators.emplace_back(isReduction(op, loop) ? "\"reduction\""
                                                 : "\"parallel\"");
  for (int64_t input = 0; input < op.inputs; ++input) {
    names.push_back(writer.operand(input));
    types.push_back(writer.type(*operands[input]));
  }
  std::string element = nameOf(result.type);
  writer.line("{} = linalg.generic {{indexing_maps = [{}], iterator_types = "
              "[{}]}} ins({} : {}) outs({} : {}) {{",
              writer.result(), fmt::join(maps, ", "),
              fmt::join(iterators, ", "), fmt::join(names, ", "),
              fmt::join(types, ", "), init, writer.type(result));
  writer.line("^bb0(%a: {0}{1}, %old: {0}):", element,
              op.inputs == 2 ? ", %b: " + element : "");
  writeBody(op, result.type, writer);
  writer.line("}} -> {}", writer.type(result));
}

constexpr StepKind kKinds[] = {
    {"indexed", proposeIndexed, inferIndexed, writeIndexed},
    {"indexed", proposeIndexed, inferIndexed, writeIndexed},
    {"indexed", proposeIndexed, inferIndexed, writeIndexed},
    {"indexed", proposeIndexed, inferIndexed, writeIndexed},
};

} // namespace

std::span<const StepKind> indexedKinds() { return kKinds; }

} // namespace npu
