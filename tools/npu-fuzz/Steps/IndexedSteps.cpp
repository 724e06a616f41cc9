// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// Steps that are generics whose operands and results are indexed by any
// quasi-affine functions of their loops, with bodies that use positions.

#include "npu-fuzz/Recipes/NestRules.h"
#include "npu-fuzz/Recipes/RecipeBuilder.h"

#include <algorithm>

namespace npu {
namespace {

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

/// What the body does with the entries that it reads.
enum Body : int64_t {
  Copy,
  Add,
  Most,
  AddIndex,
  SelectByIndex,
  Accumulate,
  AccumulateMost,
  BodyCount,
};

/// The body. It uses two loops as numbers, and reads the last input mostly.
Expr bodyOf(int64_t body, ElementType type, int64_t inputs, int64_t first,
            int64_t second, int64_t slack) {
  Expr a = input(type, 0), b = input(type, inputs - 1);
  const char *add = isFloat(type) ? "arith.addf" : "arith.addi",
             *most = isFloat(type) ? "arith.maximumf" : "arith.maxsi";
  switch (body) {
  case Copy:
    return a;
  case Add:
    return simple(add, {a, b});
  case Most:
    return simple(most, {a, b});
  case AddIndex:
    return simple(add, {b, positionAs(type, position(first))});
  case SelectByIndex: {
    Expr limit = indexNumber(slack + 1);
    if (first != second)
      limit = simple("arith.addi", {position(second), limit});
    return choose(comparison("slt", position(first), limit), a,
                  inputs == 2 ? b : number(type, 0));
  }
  case Accumulate:
    return simple(add, {accumulator(type), b});
  default:
    return simple(most, {accumulator(type), b});
  }
}

/// The extent of the only loop that no input has, if there is one; else that of
/// any loop.
int64_t extentOfOutputLoop(RecipeBuilder &builder, const LoopNest &nest,
                           std::span<const int64_t> loops) {
  int64_t extent = loops[builder.below(std::ssize(loops))];
  for (int64_t loop = 0; loop < std::ssize(loops); ++loop)
    if (llvm::none_of(nest.inputs, [&](auto &map) {
          return llvm::any_of(map, [&](const AffineIndex &index) {
            return index.form == AffineIndex::Plain && index.loop == loop;
          });
        }))
      extent = loops[loop];
  return extent;
}

void proposeIndexed(RecipeBuilder &builder, const StepKind &) {
  auto value = builder.pick([](const ValueFacts &value) {
    return !value.shape.empty() && value.shape.size() <= 4 &&
           Box::whole(value.shape).volume() > 0;
  });
  if (!value)
    return;
  const ValueFacts first = builder[*value];
  // There is a loop for each dimension of the first input, most of which are
  // plain dimensions, and at times one more.
  std::vector<int64_t> loops(first.shape.begin(), first.shape.end());
  for (int64_t &extent : loops)
    if (builder.oneIn(3))
      extent = std::max<int64_t>(
          1, builder.oneIn(2) ? extent * builder.between(2, 4) : extent / 2);
  if (builder.oneIn(3) && loops.size() < 4)
    loops.push_back(builder.between(1, 5));
  Step step = elementwise({*value}, loops.size(), {});
  LoopNest &nest = *step.nest;
  nest.inputs = {mapOfFirst(builder, loops, first.shape)};
  if (builder.oneIn(2)) {
    Extents shape;
    nest.inputs.push_back(randomInput(builder, loops, shape));
    if (Box::whole(shape).volume() > 4000)
      return;
    step.operands.push_back(builder.valueOf(shape, first.type));
  }
  nest.outputs = {randomOutput(builder, loops)};
  int64_t body = builder.below(BodyCount);
  // Loops that reduce need a body that puts entries together in any order.
  auto isSafe = [&](int64_t body) {
    nest.bodies = {bodyOf(body, first.type, std::ssize(nest.inputs), 0, 0, 0)};
    bool reduces = false;
    for (int64_t loop = 0; loop < std::ssize(loops); ++loop)
      reduces |= isReduction(nest, loop);
    return !reduces || (nest.usesAccumulator() &&
                        combinesInAnyOrder(nest, loops, builder.exact()));
  };
  for (int64_t instead : {Accumulate, AccumulateMost})
    if (!isSafe(body))
      body = instead;
  int64_t a = builder.below(std::ssize(loops)),
          b = builder.below(std::ssize(loops));
  nest.slack = builder.oneIn(3) ? builder.below(3) : 0;
  nest.bodies = {
      bodyOf(body, first.type, std::ssize(nest.inputs), a, b, nest.slack)};
  int64_t extent = extentOfOutputLoop(builder, nest, loops);
  for (Loop &loop : nest.loops)
    loop.extent.number = extent;
  // Entries that are not written keep the values of the initial output, which
  // must be defined.
  nest.begins = {number(first.type, isFloat(first.type) ? -7 : 1)};
  if (builder.oneIn(3)) {
    Operands operands;
    for (unsigned operand : step.operands)
      operands.push_back(&builder[operand]);
    if (auto result = inferChecked(step, operands, builder.exact());
        result && Box::whole(result->shape).volume() <= 2000) {
      nest.beginsAsOperand = true;
      step.operands.push_back(builder.valueOf(result->shape, first.type));
      builder.add(std::move(step));
      return;
    }
  }
  builder.addWithLayout(std::move(step));
}

constexpr StepKind kKinds[] = {
    {"indexed", proposeIndexed, nullptr, nullptr},
    {"indexed", proposeIndexed, nullptr, nullptr},
    {"indexed", proposeIndexed, nullptr, nullptr},
    {"indexed", proposeIndexed, nullptr, nullptr},
};

} // namespace

std::span<const StepKind> indexedKinds() { return kKinds; }

} // namespace npu
