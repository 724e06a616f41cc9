// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// Makes up functions to be run in chunks: rows are changed and put into a
// cache, and the entries of the cache are weighed by their positions, mostly
// after a mask that makes the function causal.

#include "npu-fuzz/Bodies/RegionMaker.h"

#include "mlir/Dialect/Linalg/IR/Linalg.h"
#include "mlir/Dialect/Tensor/IR/Tensor.h"

using namespace mlir;

namespace npu {
namespace {

constexpr Extent kRows = kPrompt;
constexpr Extent kPositions = fixed(kCachePositions);
constexpr Extent kColumns = fixed(4);
constexpr ElementType kType = ElementType::F32;

/// The loops of operations in which rows meet positions of a cache.
enum MeetingLoop : int64_t { Row = 0, Position = 1, Column = 2 };

class PrefillMaker : public RegionMaker {
public:
  PrefillMaker(uint64_t seed, uint64_t number)
      // The longest prompt is the space in the cache after the last offset.
      : RegionMaker(seed ^ 0x6368756e6b73, number,
                    kCachePositions - kPrefillOffsets[1]) {}

  MadeFunction run() {
    PromptTask &task = made.prompt.emplace();
    task.prefill = true;
    task.longest = longest;
    offsetIsApplied = oneIn(40);
    setTheme(kType);
    task.assumesFinite = tame = !oneIn(3);
    unsigned x = argument(kType, {kRows, kColumns});
    rows = values[x];
    unsigned cache = argument(kType, {kPositions, kColumns});
    if (oneIn(3)) {
      bias = values[argument(kType, {kPositions})];
      if (oneIn(2))
        bias = onBias(*bias);
    }
    offset(offsetIsApplied);
    unsigned put = oneIn(3) ? putOnRows(x) : x;
    unsigned full = step(values[cache], [&](const Fact &) {
      SmallVector<OpFoldResult> offsets = {offset(offsetIsApplied),
                                           b.getIndexAttr(0)},
                                sizes = {length(), b.getIndexAttr(4)},
                                strides(2, b.getIndexAttr(1));
      return tensor::InsertSliceOp::create(
          b, b.getUnknownLoc(), values[put].value, values[cache].value, offsets,
          sizes, strides);
    });
    filledCache = values[full];
    unsigned result = oneIn(2) ? weighedSum() : attention();
    if (oneIn(4))
      result = onRows(result);
    returnValues({result, full});
    return finish([&](unsigned value) { return value != x; });
  }

protected:
  Scope scope() override {
    Scope scope = RegionMaker::scope();
    scope.rowLoop = Row;
    scope.offset = offset(offsetIsApplied);
    scope.hasLength = false;
    scope.tables.clear();
    return scope;
  }

  /// `main` calls the function from two offsets.
  void beforeText() override {
    func::FuncOp prefill = main();
    prefill.setName("prefill");
    prefill.setArgAttr(1, "npu.cache_dim", b.getI64IntegerAttr(0));
    prefill.setArgAttr(prefill.getNumArguments() - 1, "npu.cache_offset",
                       b.getUnitAttr());
    OpBuilder at = OpBuilder::atBlockEnd(moduleOp().getBody());
    Location loc = at.getUnknownLoc();
    SmallVector<Type> results(prefill.getResultTypes());
    results.append(prefill.getResultTypes().begin(),
                   prefill.getResultTypes().end());
    auto caller = func::FuncOp::create(
        at, loc, "main",
        at.getFunctionType(prefill.getArgumentTypes().drop_back(), results));
    at.setInsertionPointToStart(caller.addEntryBlock());
    SmallVector<Value> returned;
    for (int64_t offset : kPrefillOffsets) {
      SmallVector<Value> arguments(caller.getArguments());
      arguments.push_back(
          constant(at, at.getIndexType(), static_cast<double>(offset)));
      llvm::append_range(
          returned,
          func::CallOp::create(at, loc, prefill, arguments).getResults());
    }
    func::ReturnOp::create(at, loc, returned);
  }

private:
  /// The position of a row in the cache.
  Value rowPosition(Region &region) {
    return region.add(region.loop(Row), offset(offsetIsApplied));
  }

  /// An elementwise operation on a tensor of positions that does not follow
  /// from the prompt, with numbers of any size.
  Fact onBias(const Fact &source) {
    RegionNest nest{{kPositions}};
    nest.read(source, {0});
    return values[add(kType, nest, [&](Region &region) {
      Scope inside = scope();
      inside.rowLoop = -1;
      inside.tame = false;
      return RandomExprs(*this, region, inside).any(kType, 2);
    })];
  }

  /// The rows that go into the cache: finite where that is assumed.
  unsigned putOnRows(unsigned source) {
    if (!made.prompt->assumesFinite)
      return onRows(source);
    RegionNest nest{{kRows, kColumns}};
    nest.read(values[source], {0, 1});
    return add(kType, nest, [&](Region &region) {
      Value turned = region.op("math.sin",
                               {region.positionAs(kType, rowPosition(region))});
      return oneIn(2) ? region.multiply(region.in[0], turned)
                      : region.add(region.in[0], turned);
    });
  }

  /// An elementwise operation on rows, at times with their positions.
  unsigned onRows(unsigned source) {
    RegionNest nest{{kRows, kColumns}};
    nest.read(values[source], {0, 1});
    return add(kType, nest, [&](Region &region) {
      return RandomExprs(*this, region, scope()).any(kType, 2);
    });
  }

  /// A condition that is mostly true where the position is at or before the
  /// row.
  Value seen(Region &region, RandomExprs &exprs) {
    Value p = rowPosition(region), j = region.loop(Position);
    switch (below(10)) {
    case 0:
      return region.compare("sge", p, j);
    case 1:
      return region.compare("ule", j, p);
    case 2:
      return region.compare("sle", region.subtract(j, offset(offsetIsApplied)),
                            region.loop(Row));
    case 3: {
      Value window =
          region.compare("sgt", j, region.subtract(p, region.index(3)));
      return region.op("arith.andi", {region.compare("sle", j, p), window});
    }
    case 4:
      return exprs.mask();
    default:
      return region.compare("sle", j, p);
    }
  }

  /// A float that follows from positions alone, often infinite where the
  /// position is after the row.
  Value byPositions(Region &region, RandomExprs &exprs) {
    Value p = rowPosition(region), j = region.loop(Position);
    auto number = [&](double value) { return region.number(kType, value); };
    auto minus = [&](const Value &a, const Value &b) {
      return region.positionAs(kType, region.subtract(a, b));
    };
    switch (below(9)) {
    case 0:
      return region.op("math.log", {region.add(minus(p, j), number(1))});
    case 1:
      return region.op("arith.divf",
                       {number(1), region.add(minus(j, p), number(-1))});
    case 2:
      return region.op("math.exp", {region.multiply(minus(j, p), number(100))});
    case 3:
      return region.op("math.sqrt", {minus(p, j)});
    case 4: {
      Value condition = exprs.mask();
      return region.choose(condition, number(1),
                           number(oneIn(2) ? kInfinity : -kInfinity));
    }
    case 5: {
      Value position = region.positionAs(kType, oneIn(2) ? j : p);
      return region.op(oneIn(2) ? "math.exp" : "math.log", {position});
    }
    case 6:
      return region.op("arith.divf", {region.add(minus(p, j), number(0)),
                                      region.positionAs(kType, j)});
    default:
      return exprs.any(kType, 2);
    }
  }

  /// An entry of the cache that is made neutral after the row.
  Value weighed(Region &region, RandomExprs &exprs, Value value,
                double neutral) {
    auto number = [&](double value) { return region.number(kType, value); };
    if (oneIn(2)) {
      Value factor = byPositions(region, exprs);
      if (oneIn(3))
        factor = region.choose(region.compare("ogt", value, number(0)), factor,
                               value);
      value =
          oneIn(4) ? region.add(value, factor) : region.multiply(value, factor);
    }
    switch (below(6)) {
    case 0:
    case 1:
      return region.multiply(
          region.choose(seen(region, exprs), number(1), number(0)), value);
    case 2:
    case 3:
      return region.op(
          "math.exp",
          {region.add(value, region.choose(seen(region, exprs), number(0),
                                           number(-kInfinity)))});
    case 4:
      return exprs.any(kType, 3);
    default:
      return region.choose(seen(region, exprs), value, number(neutral));
    }
  }

  /// Rows that are sums, or other reductions, over the cache.
  unsigned weighedSum() {
    RegionNest nest{{kRows, kPositions, kColumns}, {Position}};
    nest.read(filledCache, {Position, Column});
    if (oneIn(3))
      nest.read(rows, {Row, Column});
    if (bias && oneIn(2))
      nest.read(*bias, {Position});
    Combiner combiner = randomCombiner(*this, kType);
    if (oneIn(2))
      combiner = {"arith.addf", 0};
    nest.begin = oneIn(3) ? 0 : combiner.neutral;
    bool isRecurrence = oneIn(6);
    return add(kType, nest, [&](Region &region) {
      Scope inside = scope();
      inside.readsAccumulator = isRecurrence;
      RandomExprs exprs(*this, region, inside);
      if (!isRecurrence)
        return region.op(combiner.name,
                         {region.out[0], weighed(region, exprs, region.in[0],
                                                 combiner.neutral)});
      Value next = exprs.any(kType, 3);
      return oneIn(2) ? region.choose(seen(region, exprs), next, region.out[0])
                      : next;
    });
  }

  /// The scores of each row with each position; at times by a recurrence.
  unsigned scores() {
    RegionNest nest{{kRows, kPositions, kColumns}, {Column}};
    nest.read(filledCache, {Position, Column});
    nest.begin = oneIn(3) ? 1 : 0;
    bool isRecurrence = oneIn(4);
    if (!isRecurrence)
      nest.read(rows, {Row, Column});
    return add(kType, nest, [&](Region &region) {
      Value entry = region.in[0], before = region.out[0];
      if (!isRecurrence)
        return region.add(before, region.multiply(entry, region.in[1]));
      switch (below(4)) {
      case 0:
        before = region.op("math.sqrt", {before});
        break;
      case 1:
        before = region.op("math.log", {before});
        break;
      case 2:
        before = region.op("arith.divf", {region.number(kType, 1), before});
        break;
      default: {
        Scope inside = scope();
        inside.readsAccumulator = true;
        before = RandomExprs(*this, region, inside).any(kType, 2);
      }
      }
      return region.add(before, entry);
    });
  }

  unsigned attention() {
    RegionNest mask{{kRows, kPositions}};
    mask.read(values[scores()], {Row, Position});
    if (bias && oneIn(2))
      mask.read(*bias, {Position});
    bool hasSoftmax = oneIn(2);
    unsigned weights = add(kType, mask, [&](Region &region) {
      RandomExprs exprs(*this, region, scope());
      auto number = [&](double value) { return region.number(kType, value); };
      Value entry = region.in[0];
      if (oneIn(3))
        entry = region.add(entry, byPositions(region, exprs));
      double after = hasSoftmax ? -kInfinity : 0;
      switch (below(5)) {
      case 0: {
        // At times, exchange the sides of the comparison.
        Value first = seen(region, exprs), half = number(0.5);
        Value chosen = oneIn(2) ? region.choose(first, half, entry)
                                : region.choose(first, entry, half);
        return region.multiply(
            chosen, region.choose(seen(region, exprs), number(1), number(0)));
      }
      case 1:
        return region.add(entry, region.choose(seen(region, exprs), number(0),
                                               number(-kInfinity)));
      case 2:
        return weighed(region, exprs, entry, after);
      default:
        return region.choose(seen(region, exprs), entry, number(after));
      }
    });
    if (hasSoftmax)
      weights = step(values[weights], [&](const Fact &made) -> Value {
        return linalg::SoftmaxOp::create(
                   b, b.getUnknownLoc(), TypeRange{typeOf(made)},
                   values[weights].value, empty(made), uint64_t(1))
            .getResult()[0];
      });
    RegionNest product{{kRows, kPositions, kColumns}, {Position}};
    product.read(values[weights], {Row, Position});
    product.read(filledCache, {Position, Column});
    return add(kType, product, [&](Region &region) {
      RandomExprs exprs(*this, region, scope());
      Value entry = region.in[1];
      if (oneIn(4))
        entry = region.multiply(entry, byPositions(region, exprs));
      return region.add(region.out[0], region.multiply(region.in[0], entry));
    });
  }

  /// Whether regions get positions by `affine.apply` of the offset.
  bool offsetIsApplied = false;
  Fact rows, filledCache;
  std::optional<Fact> bias;
};

} // namespace

MadeFunction randomPrefillBodies(uint64_t seed, uint64_t number) {
  return PrefillMaker(seed, number).run();
}

} // namespace npu
