// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception

#include "npu/Execution/Compare/ReplaySplitReductions.h"

#include "RoundingShare.h"
#include "npu/Analysis/Choices/SplitReduction.h"
#include "npu/Dialect/NPU/IR/NPUDialect.h"

#include "mlir/Dialect/Arith/IR/Arith.h"
#include "mlir/Dialect/Linalg/IR/Linalg.h"
#include "mlir/Dialect/SCF/IR/SCF.h"
#include "mlir/Dialect/Tensor/IR/Tensor.h"
#include "mlir/Dialect/Utils/StructuredOpsUtils.h"
#include "mlir/IR/IRMapping.h"
#include "llvm/Support/MathExtras.h"

#include <fmt/format.h>

using namespace mlir;

namespace npu {
namespace {

/// The parts of one split reduction.
class Parts {
public:
  explicit Parts(const SplitReductionNote &split) : split(split) {}

  int64_t begin(int64_t part, size_t loop) const { return at(part, loop, 0); }
  int64_t end(int64_t part, size_t loop) const { return at(part, loop, 1); }

  /// The end of the last range of a loop.
  int64_t lastEnd(size_t loop) const {
    int64_t last = 0;
    for (int64_t part = 0; part < split.parts; ++part)
      last = std::max(last, end(part, loop));
    return last;
  }

  /// Checks that the parts have every iteration of `op` exactly once. A loop of
  /// dynamic extent ends where the last part does.
  Result<> check(linalg::LinalgOp op) const {
    size_t loops = split.loops.size();
    if (loops == 0 ||
        split.ranges.size() != 2 * loops * static_cast<size_t>(split.parts))
      return Error{
          fmt::format("expected loops and, for each of {} parts, a range of "
                      "each of them, got {} loops and {} numbers",
                      split.parts, loops, split.ranges.size())};
    SmallVector<int64_t> extents = op.getStaticLoopRanges();
    auto kinds = op.getIteratorTypesArray();
    int64_t iterations = 1, inParts = 0;
    for (auto [number, loop] : llvm::enumerate(split.loops)) {
      if (loop < 0 || loop >= static_cast<int64_t>(extents.size()) ||
          kinds[loop] != utils::IteratorType::reduction ||
          llvm::count(split.loops, loop) > 1)
        return Error{
            fmt::format("expected different reduction loops, got {}", loop)};
      int64_t extent = ShapedType::isDynamic(extents[loop]) ? lastEnd(number)
                                                            : extents[loop];
      for (int64_t part = 0; part < split.parts; ++part)
        if (begin(part, number) < 0 ||
            begin(part, number) >= end(part, number) ||
            end(part, number) > extent)
          return Error{fmt::format(
              "expected a part of loop {} within [0:{}], got "
              "[{}:{}]",
              loop, extent, begin(part, number), end(part, number))};
      if (llvm::MulOverflow(iterations, extent, iterations))
        return Error{"expected fewer than 2^63 iterations"};
    }
    llvm::SmallBitVector cut(extents.size());
    for (int64_t loop : split.loops)
      cut.set(loop);
    for (AffineMap map : op.getIndexingMapsArray())
      if (!readsPlainly(map, cut))
        return Error{"expected loops that operands have as dimensions, "
                     "got one that is part of a sum"};
    for (int64_t part = 0; part < split.parts; ++part) {
      inParts += volume(part);
      for (int64_t other = 0; other < part; ++other)
        if (overlap(part, other))
          return Error{fmt::format("parts {} and {} have iterations in common",
                                   other, part)};
    }
    // The parts are disjoint and inside the loops, so that the sum cannot
    // overflow.
    if (inParts != iterations)
      return Error{
          fmt::format("expected parts of {} iterations together, got {}",
                      iterations, inParts)};
    return Success();
  }

private:
  int64_t at(int64_t part, size_t loop, size_t which) const {
    return split.ranges[2 * (part * split.loops.size() + loop) + which];
  }
  int64_t volume(int64_t part) const {
    int64_t volume = 1;
    for (size_t loop = 0; loop < split.loops.size(); ++loop)
      volume *= end(part, loop) - begin(part, loop);
    return volume;
  }
  bool overlap(int64_t a, int64_t b) const {
    for (size_t loop = 0; loop < split.loops.size(); ++loop)
      if (end(a, loop) <= begin(b, loop) || end(b, loop) <= begin(a, loop))
        return false;
    return true;
  }

  const SplitReductionNote &split;
};

class PartwiseReduction {
public:
  PartwiseReduction(linalg::LinalgOp op, const Reduction &reduction,
                    const SplitReductionNote &split)
      : op(op), reduction(reduction), split(split), builder(op),
        loc(op.getLoc()) {
    builder.setInsertionPointAfter(op);
  }

  /// Builds ((init + part 0) + part 1) + ... after `op`, as a loop over the
  /// parts.
  Value build() {
    Value neutral = arith::ConstantOp::create(builder, loc, reduction.neutral);
    ends = extentsOfLoops();
    for (size_t loop = 0; loop < split.loops.size(); ++loop)
      for (bool isEnd : {false, true})
        tables.push_back(table(loop, isEnd));
    auto parts =
        scf::ForOp::create(builder, loc, index(0), index(split.parts), index(1),
                           ValueRange{op.getDpsInitOperand(0)->get()});
    OpBuilder::InsertionGuard guard(builder);
    builder.setInsertionPointToStart(parts.getBody());
    Value made = partial(parts.getInductionVar(), neutral);
    Value sum = combine(made, parts.getRegionIterArg(0));
    scf::YieldOp::create(builder, loc, sum);
    return parts.getResult(0);
  }

private:
  struct RunTimeRange {
    Value begin;
    Value size;
  };

  Value index(int64_t value) {
    return arith::ConstantIndexOp::create(builder, loc, value);
  }

  /// The extent of every cut loop, from an operand that has it.
  SmallVector<Value> extentsOfLoops() {
    SmallVector<Value> extents;
    for (int64_t loop : split.loops)
      for (OpOperand *operand : op.getDpsInputOperands()) {
        AffineMap map = op.getMatchingIndexingMap(operand);
        auto dim = map.getResultPosition(builder.getAffineDimExpr(loop));
        if (!dim)
          continue;
        extents.push_back(
            tensor::DimOp::create(builder, loc, operand->get(), *dim));
        break;
      }
    return extents;
  }

  /// A table of where the parts' ranges of a loop begin, or end. Where the
  /// loop's extent is known at run time only, the last part extends to its end.
  Value table(size_t loop, bool isEnd) {
    Parts parts(split);
    bool isDynamic =
        ShapedType::isDynamic(op.getStaticLoopRanges()[split.loops[loop]]);
    SmallVector<int64_t> values;
    for (int64_t part = 0; part < split.parts; ++part) {
      int64_t value = isEnd ? parts.end(part, loop) : parts.begin(part, loop);
      bool isLast = isEnd && isDynamic && value == parts.lastEnd(loop);
      values.push_back(isLast ? std::numeric_limits<int64_t>::max() : value);
    }
    auto type = RankedTensorType::get({split.parts}, builder.getIndexType());
    return arith::ConstantOp::create(builder, loc,
                                     DenseIntElementsAttr::get(type, values));
  }

  /// The range of a cut loop in part `part`, inside the loop's extent.
  RunTimeRange rangeIn(size_t loop, Value part) {
    auto bound = [&](size_t which) -> Value {
      Value value = tensor::ExtractOp::create(builder, loc,
                                              tables[2 * loop + which], part);
      return arith::MinSIOp::create(builder, loc, value, ends[loop]);
    };
    Value begin = bound(0), end = bound(1);
    return {begin, arith::SubIOp::create(builder, loc, end, begin)};
  }

  /// The slice of an operand that a part reads.
  Value slice(OpOperand *operand, ArrayRef<RunTimeRange> ranges) {
    auto type = dyn_cast<RankedTensorType>(operand->get().getType());
    if (!type)
      return operand->get();
    SmallVector<OpFoldResult> offsets(type.getRank(), builder.getIndexAttr(0)),
        strides(type.getRank(), builder.getIndexAttr(1)),
        sizes = tensor::getMixedSizes(builder, loc, operand->get());
    AffineMap map = op.getMatchingIndexingMap(operand);
    bool isCut = false;
    for (auto [dim, expr] : llvm::enumerate(map.getResults()))
      for (auto [loop, range] : llvm::zip(split.loops, ranges))
        if (expr == builder.getAffineDimExpr(loop)) {
          offsets[dim] = range.begin;
          sizes[dim] = range.size;
          isCut = true;
        }
    if (!isCut)
      return operand->get();
    return tensor::ExtractSliceOp::create(builder, loc, operand->get(), offsets,
                                          sizes, strides);
  }

  /// Builds `op` on a part's slices of its operands, beginning with the neutral
  /// element.
  Value partial(Value part, Value neutral) {
    SmallVector<RunTimeRange> ranges;
    for (size_t loop = 0; loop < split.loops.size(); ++loop)
      ranges.push_back(rangeIn(loop, part));
    SmallVector<Value> inputs;
    for (OpOperand *operand : op.getDpsInputOperands())
      inputs.push_back(slice(operand, ranges));
    Value init = op.getDpsInitOperand(0)->get();
    Value start = linalg::FillOp::create(builder, loc, neutral, init).result();
    auto generic = linalg::GenericOp::create(
        builder, loc, TypeRange{init.getType()}, inputs, start,
        op.getIndexingMapsArray(), op.getIteratorTypesArray());
    IRMapping mapping;
    op->getRegion(0).cloneInto(&generic.getRegion(), mapping);
    generic.walk([&](linalg::IndexOp index) {
      auto cut = llvm::find(split.loops, static_cast<int64_t>(index.getDim()));
      if (cut == split.loops.end())
        return;
      OpBuilder::InsertionGuard guard(builder);
      builder.setInsertionPointAfter(index);
      auto whole = arith::AddIOp::create(
          builder, loc, index, ranges[cut - split.loops.begin()].begin);
      index.getResult().replaceAllUsesExcept(whole, whole);
    });
    return generic.getResult(0);
  }

  /// Builds sum + partial, with the operands on the same sides as in `op`.
  Value combine(Value partial, Value sum) {
    auto type = cast<RankedTensorType>(sum.getType());
    AffineMap identity = builder.getMultiDimIdentityMap(type.getRank());
    SmallVector<utils::IteratorType> kinds(type.getRank(),
                                           utils::IteratorType::parallel);
    BlockArgument accumulator = op.getRegionOutputArgs()[0];
    auto generic = linalg::GenericOp::create(
        builder, loc, TypeRange{type}, ValueRange{partial}, ValueRange{sum},
        ArrayRef<AffineMap>{identity, identity}, kinds,
        [&](OpBuilder &body, Location loc, ValueRange arguments) {
          IRMapping mapping;
          for (Value operand : reduction.combiner->getOperands())
            mapping.map(operand,
                        operand == accumulator ? arguments[1] : arguments[0]);
          Operation *copy = body.clone(*reduction.combiner, mapping);
          linalg::YieldOp::create(body, loc, copy->getResults());
        });
    return generic.getResult(0);
  }

  linalg::LinalgOp op;
  const Reduction &reduction;
  const SplitReductionNote &split;
  OpBuilder builder;
  Location loc;
  /// For each cut loop its extent, and tables of where parts begin and end.
  SmallVector<Value> ends;
  SmallVector<Value> tables;
};

/// The reduction that a note refers to by its number.
linalg::LinalgOp findReduction(func::FuncOp function,
                               const SplitReductionNote &split) {
  int64_t count = 0;
  linalg::LinalgOp found;
  function.walk<WalkOrder::PreOrder>([&](linalg::LinalgOp op) {
    if (!isReduction(op) || count++ != split.number)
      return WalkResult::advance();
    found = op;
    return WalkResult::interrupt();
  });
  return found;
}

/// Checks that `op` is the reduction that the note describes.
Result<> checkReduction(linalg::LinalgOp op, const SplitReductionNote &split) {
  if (split.ranges.empty())
    return Error{
        fmt::format("{} says nothing of where it was cut", split.name())};
  if (!op)
    return Error{
        fmt::format("the reference does not have as many reductions as {} "
                    "needs",
                    split.name())};
  std::optional<Reduction> reduction = matchReduction(op);
  bool isStatic =
      llvm::none_of(op.getStaticLoopRanges(), ShapedType::isDynamic);
  if (!reduction || (isStatic && termsOf(op) != split.terms))
    return Error{fmt::format(
        "expected a reduction of {} terms in the place of {}, "
        "got {}",
        split.terms, split.name(), op->getName().getStringRef().str())};
  if (Result<> checked = Parts(split).check(op); !checked)
    return Error{fmt::format("{}: {}", split.name(), checked.error().message)};
  return Success();
}

} // namespace

std::string SplitReductionNote::name() const {
  return fmt::format("{} #{} of '{}'", op, number, function);
}

std::vector<SplitReductionNote> splitReductionsIn(ModuleOp module) {
  std::vector<SplitReductionNote> notes;
  module.walk([&](Operation *op) {
    auto attr = op->getAttrOfType<DictionaryAttr>(splitReductionAttrName);
    auto function = op->getParentOfType<func::FuncOp>();
    if (!attr || !function)
      return;
    auto number = [&](StringRef name) {
      auto value = attr.getAs<IntegerAttr>(name);
      return value && value.getType().isInteger(64) ? value.getInt() : 0;
    };
    auto numbers = [&](StringRef name) {
      auto values = attr.getAs<DenseI64ArrayAttr>(name);
      return values ? values.asArrayRef().vec() : std::vector<int64_t>();
    };
    auto name = attr.getAs<StringAttr>("op");
    SplitReductionNote note{
        function.getName().str(), name ? name.str() : "an operation",
        number("number"),         number("parts"),
        number("terms"),          numbers("loops"),
        numbers("ranges"),        op->getLoc()};
    bool known = llvm::any_of(notes, [&](const SplitReductionNote &other) {
      return other.function == note.function && other.op == note.op &&
             other.number == note.number;
    });
    if (!known && note.parts > 0 && note.terms > 0)
      notes.push_back(std::move(note));
  });
  return notes;
}

Result<Replay> replaySplitReductions(ModuleOp module, func::FuncOp entry,
                                     ArrayRef<SplitReductionNote> splits) {
  // Find all reductions before any is rewritten, because their numbers are
  // those in the original reference.
  SmallVector<linalg::LinalgOp> found;
  for (const SplitReductionNote &split : splits) {
    auto function = module.lookupSymbol<func::FuncOp>(split.function);
    auto op = function ? findReduction(function, split) : linalg::LinalgOp();
    if (Result<> checked = checkReduction(op, split); !checked)
      return checked.error();
    found.push_back(op);
  }
  RoundingShares shares(entry);
  Replay replay;
  for (auto [number, op] : llvm::enumerate(found)) {
    Reduction reduction = *matchReduction(op);
    Value inParts = PartwiseReduction(op, reduction, splits[number]).build();
    Value whole = op->getResult(0);
    whole.replaceAllUsesWith(inParts);
    if (succeeded(shares.measure(op, reduction, inParts)))
      replay.measured.push_back(number);
    else
      op->erase();
  }
  shares.returnAll();
  return replay;
}

} // namespace npu
