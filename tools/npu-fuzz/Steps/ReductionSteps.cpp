// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// Steps that combine entries along dimensions, and steps of two results.

#include "npu-fuzz/Steps/Steps.h"

#include "mlir/Dialect/Linalg/IR/Linalg.h"

using namespace mlir;

namespace npu {
namespace {

/// How a reduction is written, and what it does.
struct Reducing {
  /// Combines the accumulator with an entry.
  const char *op;
  double begin = 0;
  Nest::Form form = Nest::Reduce;
  /// The result has its dimensions in reverse order.
  bool isReversed = false;

  bool isSum() const { return StringRef(op).starts_with("arith.add"); }
};

struct Combiner {
  const char *forFloats, *forIntegers;
  double begin;

  Reducing of(ElementType type) const {
    return {isFloat(type) ? forFloats : forIntegers, begin};
  }
};
/// In the order of ReductionRow.
constexpr Combiner kCombiners[] = {
    {"arith.addf", "arith.addi", 0},
    {"arith.addf", "arith.addi", 3},
    {"arith.maximumf", "arith.maxsi", -9},
    {"arith.minimumf", "arith.minsi", 9},
};

/// The reduction of what `entry` makes of each entry.
Made reduce(
    OperationMaker &maker, unsigned value, const std::vector<int64_t> &dims,
    const Reducing &how,
    llvm::function_ref<Value(Region &)> entry = [](Region &region) {
      return region.in[0];
    }) {
  const Fact from = maker[value];
  auto rank = std::ssize(from.shape);
  if (how.isSum() && !maker.sumIsSafe(from, dims))
    return std::nullopt;
  std::vector<int64_t> kept = others(rank, dims);
  if (how.isReversed)
    std::reverse(kept.begin(), kept.end());
  Made made = maker.makeLaidOut(
      maker.tensor(from.type, only(from.dims, kept)), from,
      [&](const Fact &result) {
        Nest nest{how.form,
                  {from.value},
                  {maker.identity(rank), maker.mapTo(rank, kept)},
                  {maker.filled(result, how.begin)}};
        return buildOne(maker, nest, [&](Region &region) {
          return region.op(how.op, {entry(region), region.out[0]});
        });
      });
  if (made)
    maker.returnIfSplit(*made);
  return made;
}

void reducing(OperationMaker &maker) {
  auto value = maker.pickRanked();
  if (!value)
    return;
  int64_t row = maker.below(std::ssize(kCombiners));
  std::vector<int64_t> dims = maker.someDims(std::ssize(maker[*value].shape));
  if (row <= kSumFrom3)
    value = maker.summable(*value, dims);
  reduction(maker, *value, row, dims);
}

/// A reduction of entries that depend on positions.
void countingReduction(OperationMaker &maker) {
  auto value = maker.pickRanked();
  if (!value)
    return;
  ElementType type = maker[*value].type;
  auto rank = std::ssize(maker[*value].shape);
  int64_t form = maker.below(3), a = maker.below(rank), b = maker.below(rank);
  Reducing how = kCombiners[maker.oneIn(2) ? kMaximum : kSum].of(type);
  how.isReversed = maker.oneIn(2);
  if (how.isReversed)
    how.form = Nest::Generic;
  std::vector<int64_t> dims = maker.someDims(rank);
  if (how.isSum())
    value = maker.summable(*value, dims);
  reduce(maker, *value, dims, how, [&](Region &region) {
    return countedEntry(region, type, form, a, b);
  });
}

std::optional<unsigned> pickFloats(OperationMaker &maker) {
  return maker.pick([](const Fact &value) {
    return !value.shape.empty() && isFloat(value.type);
  });
}

void extremeReduction(OperationMaker &maker) {
  constexpr double kBegins[] = {0.0, -0.0, -3.0, 5.0};
  auto value = pickFloats(maker);
  if (!value)
    return;
  const char *op = maker.oneOf(kExtremes);
  double begin = maker.oneOf(kBegins);
  reduce(maker, *value, maker.someDims(std::ssize(maker[*value].shape)),
         {op, begin});
}

/// A reduction over no entries of what a value is to keep: it overwrites, adds,
/// takes the maximum, or does not read the reduced operand.
void reducingNothing(OperationMaker &maker) {
  enum { Overwrites, Sums, TakesMost, WritesOne, Forms };
  auto value = maker.pickRanked();
  if (!value)
    return;
  const Fact like = maker[*value];
  auto rank = std::ssize(like.shape);
  int64_t dim = maker.below(rank);
  Dims without = like.dims;
  without[dim] = fixed(0);
  const Fact nothing = maker[maker.valueOf(without, like.type)];
  std::vector<int64_t> kept = others(rank, std::span(&dim, 1));
  const Fact stays = maker[maker.valueOf(only(like.dims, kept), like.type)];
  int64_t form = maker.below(Forms);
  bool isNamed = (form == Sums || form == TakesMost) && maker.oneIn(2);
  maker.make(stays, [&](const Fact &) {
    Nest nest{isNamed ? Nest::Reduce : Nest::Generic,
              {nothing.value},
              {maker.identity(rank), maker.mapTo(rank, kept)},
              {stays.value}};
    return buildOne(maker, nest, [&](Region &region) {
      Value entry = region.in[0];
      return form == Overwrites  ? entry
             : form == WritesOne ? region.number(like.type, 1)
             : form == Sums      ? region.add(entry, region.out[0])
                                 : region.largest(entry, region.out[0]);
    });
  });
}

/// A value that softmax accepts, and a dimension of it.
Made softmaxInput(OperationMaker &maker, int64_t &dim) {
  Made value = pickFloats(maker);
  if (!value || maker.exact())
    return std::nullopt;
  dim = maker.below(std::ssize(maker[*value].shape));
  return value;
}

void softmaxing(OperationMaker &maker) {
  int64_t dim = 0;
  if (Made value = softmaxInput(maker, dim))
    softmax(maker, maker.summable(*value, std::span(&dim, 1)), dim);
}

/// exp(x - max) / sum(exp(x - max)): five steps, some of which use one value.
/// The numbers are rows of the tables in ElementwiseRows.cpp.
void softmaxInParts(OperationMaker &maker) {
  int64_t dim = 0;
  Made value = softmaxInput(maker, dim);
  if (!value)
    return;
  auto rank = std::ssize(maker[*value].shape);
  std::vector<std::vector<int64_t>> loops = {others(rank, {}),
                                             others(rank, std::span(&dim, 1))};
  Made most = reduction(maker, *value, kMaximum, {dim}), shifted, powers;
  if (most)
    shifted = elementwise(maker, {*value, *most}, 1, Written::Generic, loops);
  if (shifted)
    powers = elementwise(maker, {*shifted}, 3, Written::Generic);
  if (!powers)
    return;
  unsigned summed = maker.summable(*powers, std::span(&dim, 1));
  if (Made sum = reduction(maker, summed, kSum, {dim}))
    elementwise(maker, {*powers, *sum}, 5, Written::Generic, loops);
}

/// Two functions of the same elements, each with a layout of its own; outputs
/// are overwritten or read, and the second one may be permuted.
void twoResults(OperationMaker &maker) {
  auto value = maker.pickFilled();
  if (!value)
    return;
  const Fact first = maker[*value];
  const char *ops[2];
  for (const char *&op : ops)
    op = randomBinary(maker, first.type);
  auto rank = std::ssize(first.shape);
  std::vector<int64_t> dims = others(rank, {});
  if (maker.oneIn(3))
    maker.shuffle(dims);
  bool two = maker.oneIn(2), accumulates = maker.oneIn(2);
  Nest nest;
  nest.read(first.value, maker.identity(rank));
  if (two)
    nest.read(maker[maker.valueOf(first.dims, first.type)].value,
              maker.identity(rank));
  nest.maps.insert(nest.maps.end(),
                   {maker.identity(rank), maker.mapTo(rank, dims)});
  Fact results[2] = {first, maker.tensor(first.type, only(first.dims, dims))};
  for (Fact &result : results)
    if (accumulates)
      result = maker[maker.valueOf(result.dims, first.type)];
    else
      result.layout = maker.layout(result.shape);
  maker.makePair(
      results[0], results[1], [&](const Fact &one, const Fact &other) {
        for (const Fact *result : {&one, &other})
          nest.inits.push_back(accumulates ? result->value
                                           : maker.empty(*result));
        return build(maker, nest, [&](Region &region) {
          SmallVector<Value> made;
          for (int i = 0; i < 2; ++i)
            made.push_back(region.op(
                ops[i], {region.in[i && two],
                         accumulates ? region.out[i] : region.in[two]}));
          return made;
        });
      });
}

/// A maximum beside its position.
void argMost(OperationMaker &maker) {
  auto value = maker.pickFilled();
  if (!value || maker[*value].type == ElementType::Bool)
    return;
  const Fact from = maker[*value];
  auto rank = std::ssize(from.shape);
  int64_t dim = maker.below(rank);
  std::vector<int64_t> kept = others(rank, std::span(&dim, 1));
  Dims dims = only(from.dims, kept);
  Fact most = maker.tensor(from.type, dims),
       place = maker.tensor(ElementType::I32, dims);
  most.layout = maker.layout(most.shape);
  place.layout = maker.oneIn(2) ? most.layout : maker.layout(most.shape);
  AffineMap to = maker.mapTo(rank, kept);
  maker.makePair(most, place, [&](const Fact &one, const Fact &other) {
    Nest nest{Nest::Generic,
              {from.value},
              {maker.identity(rank), to, to},
              {maker.filled(one, -100), maker.filled(other, -1)}};
    return build(maker, nest, [&](Region &region) {
      Value larger = region.compare(isFloat(from.type) ? "ogt" : "sgt",
                                    region.in[0], region.out[0]);
      Value at = region.positionAs(ElementType::I32, region.loop(dim));
      Value first = region.choose(larger, region.in[0], region.out[0]);
      return SmallVector<Value>{first,
                                region.choose(larger, at, region.out[1])};
    });
  });
}

} // namespace

Made reduction(OperationMaker &maker, unsigned value, int64_t row,
               const std::vector<int64_t> &dims) {
  return reduce(maker, value, dims, kCombiners[row].of(maker[value].type));
}

Made softmax(OperationMaker &maker, unsigned value, int64_t dim) {
  const Fact from = maker[value];
  if (!isFloat(from.type))
    return std::nullopt;
  return maker.makeLaidOut(
      maker.tensor(from.type, from.dims), from, [&](const Fact &made) {
        return linalg::SoftmaxOp::create(maker.b, maker.b.getUnknownLoc(),
                                         TypeRange{maker.typeOf(made)},
                                         from.value, maker.empty(made),
                                         static_cast<uint64_t>(dim))
            .getResult()[0];
      });
}

std::span<const StepRow> reductionSteps() {
  static constexpr StepRow kRows[] = {
      {reducing, {.plain = 2, .sums = 2}},
      {softmaxing, {.plain = 1, .sums = 1}},
      {softmaxInParts, {.plain = 1, .sums = 1}},
      {twoResults, {.more = 2}},
      {argMost, {.more = 1}},
      {countingReduction, {.rare = 2}},
      {extremeReduction, {.rare = 1}},
      {reducingNothing, {.rare = 1}},
  };
  return kRows;
}

} // namespace npu
