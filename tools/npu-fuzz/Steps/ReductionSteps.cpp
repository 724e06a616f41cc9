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
  Nest::Form form = Nest::Reduce;
  double begin = 0;
  /// The result has its dimensions in reverse order.
  bool isReversed = false;
  /// Combines the accumulator with an entry.
  bool isSum = false;
};

Made reduce(OperationMaker &maker, unsigned value,
            const std::vector<int64_t> &dims, const Reducing &how,
            llvm::function_ref<Scalar(Region &)> body) {
  const Fact from = maker[value];
  auto rank = std::ssize(from.shape);
  if (how.isSum && !maker.sumIsSafe(from, dims))
    return std::nullopt;
  std::vector<int64_t> kept = others(rank, dims);
  if (how.isReversed)
    std::reverse(kept.begin(), kept.end());
  double terms = 1;
  for (int64_t dim : dims)
    terms *= static_cast<double>(from.shape[dim]);
  Made made = maker.makeLaidOut(
      maker.tensor(from.type, only(from.dims, kept), 0), value,
      [&](Fact &result) {
        std::vector<double> most;
        double begin = std::fabs(how.begin);
        Nest nest{how.form,
                  {from},
                  {maker.identity(rank), maker.mapTo(rank, kept)},
                  {maker.filled(result, how.begin)},
                  {how.isSum ? 0 : begin}};
        Operation *op = build(
            maker, nest,
            [&](Region &region) { return std::vector{body(region)}; }, &most);
        result.most =
            how.isSum ? begin + terms * most[0] : std::max(begin, most[0]);
        return op->getResult(0);
      });
  if (made)
    maker.returnIfSplit(*made);
  return made;
}

} // namespace

Made reduction(OperationMaker &maker, unsigned value, int64_t row,
               const std::vector<int64_t> &dims) {
  struct Combiner {
    const char *forFloats, *forIntegers;
    double begin;
  };
  constexpr Combiner kCombiners[] = {
      {"arith.addf", "arith.addi", 0},
      {"arith.addf", "arith.addi", 3},
      {"arith.maximumf", "arith.maxsi", -9},
      {"arith.minimumf", "arith.minsi", 9},
  };
  const Combiner &by = kCombiners[row];
  const char *op = isFloat(maker[value].type) ? by.forFloats : by.forIntegers;
  return reduce(maker, value, dims,
                {Nest::Reduce, by.begin, false, row <= kSumFrom3},
                [&](Region &region) {
                  return region.op(op, {region.in[0], region.out[0]});
                });
}

void reducing(OperationMaker &maker) {
  auto value = maker.pickRanked();
  if (!value)
    return;
  int64_t row = maker.below(kMinimum + 1);
  std::vector<int64_t> dims = maker.someDims(std::ssize(maker[*value].shape));
  if (row <= kSumFrom3)
    value = maker.summable(*value, dims);
  reduction(maker, *value, row, dims);
}

void countingReduction(OperationMaker &maker) {
  auto value = maker.pickRanked();
  if (!value)
    return;
  auto rank = std::ssize(maker[*value].shape);
  int64_t form = maker.below(3), a = maker.below(rank), b = maker.below(rank);
  bool takesMost = maker.oneIn(2), isGeneric = maker.oneIn(2);
  std::vector<int64_t> dims = maker.someDims(rank);
  if (!takesMost)
    value = maker.summable(*value, dims);
  const Extents shape = maker[*value].shape;
  reduce(maker, *value, dims,
         {isGeneric ? Nest::Generic : Nest::Reduce, takesMost ? -9.0 : 0.0,
          isGeneric, !takesMost},
         [&](Region &region) {
           Scalar counted =
               countedEntry(region, form, {a, shape[a]}, {b, shape[b]});
           return takesMost ? region.largest(counted, region.out[0])
                            : region.add(counted, region.out[0]);
         });
}

void extremeReduction(OperationMaker &maker) {
  constexpr const char *kExtremes[] = {"arith.minimumf", "arith.maximumf",
                                       "arith.minnumf", "arith.maxnumf"};
  constexpr double kBegins[] = {0.0, -0.0, -3.0, 5.0};
  auto value = maker.pick([](const Fact &value) {
    return !value.shape.empty() && isFloat(value.type);
  });
  if (!value)
    return;
  const char *op = maker.oneOf(kExtremes);
  double begin = maker.oneOf(kBegins);
  reduce(maker, *value, maker.someDims(std::ssize(maker[*value].shape)),
         {Nest::Reduce, begin}, [&](Region &region) {
           return region.op(op, {region.in[0], region.out[0]});
         });
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
  maker.make(stays, [&](Fact &) {
    Nest nest{isNamed ? Nest::Reduce : Nest::Generic,
              {nothing},
              {maker.identity(rank), maker.mapTo(rank, kept)},
              {stays.value}};
    return build(maker, nest,
                 [&](Region &region) {
                   const Scalar &entry = region.in[0];
                   return std::vector{
                       form == Overwrites  ? entry
                       : form == WritesOne ? region.number(like.type, 1)
                       : form == Sums ? region.add(entry, region.out[0])
                                      : region.largest(entry, region.out[0])};
                 })
        ->getResult(0);
  });
}

Made softmax(OperationMaker &maker, unsigned value, int64_t dim) {
  const Fact from = maker[value];
  if (maker.exact() || !isFloat(from.type))
    return std::nullopt;
  return maker.makeLaidOut(
      maker.tensor(from.type, from.dims, 1), value, [&](Fact &made) {
        return linalg::SoftmaxOp::create(maker.b, maker.b.getUnknownLoc(),
                                         TypeRange{maker.typeOf(made)},
                                         from.value, maker.empty(made),
                                         static_cast<uint64_t>(dim))
            .getResult()[0];
      });
}

/// A value that softmax accepts, and a dimension of it.
static Made softmaxInput(OperationMaker &maker, int64_t &dim) {
  auto value = maker.pick([](const Fact &value) {
    return !value.shape.empty() && isFloat(value.type);
  });
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
  Made most = reduction(maker, *value, kMaximum, {dim});
  if (!most)
    return;
  Made shifted =
      elementwise(maker, {*value, *most}, 1, Written::Generic, loops);
  if (!shifted)
    return;
  Made powers = elementwise(maker, {*shifted}, 3, Written::Generic);
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
  auto rows = rowsFor(first.type, true);
  const char *ops[2];
  for (const char *&op : ops)
    op = rows[maker.below(std::ssize(rows))].op;
  auto rank = std::ssize(first.shape);
  std::vector<int64_t> dims = others(rank, {});
  if (maker.oneIn(3))
    maker.shuffle(dims);
  std::vector<Fact> inputs = {first};
  bool two = maker.oneIn(2), accumulates = maker.oneIn(2);
  if (two)
    inputs.push_back(maker[maker.valueOf(first.dims, first.type)]);
  Fact results[2] = {maker.tensor(first.type, first.dims, 0),
                     maker.tensor(first.type, only(first.dims, dims), 0)};
  for (Fact &result : results)
    if (accumulates)
      result = maker[maker.valueOf(result.dims, first.type)];
    else
      result.layout = maker.layout(result.shape);
  maker.makePair(results[0], results[1], [&](Fact &one, Fact &other) {
    Nest nest{Nest::Generic, inputs};
    nest.maps.assign(inputs.size() + 1, maker.identity(rank));
    nest.maps.push_back(maker.mapTo(rank, dims));
    for (Fact *result : {&one, &other}) {
      nest.inits.push_back(accumulates ? result->value : maker.empty(*result));
      nest.begins.push_back(result->most);
    }
    std::vector<double> most;
    Operation *op = build(
        maker, nest,
        [&](Region &region) {
          std::vector<Scalar> made;
          for (int i = 0; i < 2; ++i)
            made.push_back(region.op(
                ops[i], {region.in[i && two],
                         accumulates ? region.out[i] : region.in[two]}));
          return made;
        },
        &most);
    one.most = most[0];
    other.most = most[1];
    return op;
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
  Fact most = maker.tensor(from.type, dims, std::max(100., from.most)),
       place = maker.tensor(ElementType::I32, dims, 1000);
  most.layout = maker.layout(most.shape);
  place.layout = maker.oneIn(2) ? most.layout : maker.layout(most.shape);
  AffineMap to = maker.mapTo(rank, kept);
  maker.makePair(most, place, [&](Fact &one, Fact &other) {
    Nest nest{Nest::Generic,
              {from},
              {maker.identity(rank), to, to},
              {maker.filled(one, -100), maker.filled(other, -1)}};
    return build(maker, nest, [&](Region &region) {
      Scalar larger = region.compare(isFloat(from.type) ? "ogt" : "sgt",
                                     region.in[0], region.out[0]);
      Scalar at = region.positionAs(ElementType::I32, region.loop(dim));
      return std::vector{region.choose(larger, region.in[0], region.out[0]),
                         region.choose(larger, at, region.out[1])};
    });
  });
}

} // namespace npu
