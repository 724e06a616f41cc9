// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// npu.gather and npu.scatter: what they read for a part of their results, how a
// tile makes its part, what that costs, and the loops that they become.
//
// A part of the result of a gather has a part of its tuples and a part of the
// dimensions that are taken whole; all of the dimensions that tuples are
// positions in is read. A part of the result of a scatter is a part of its
// data, for which all tuples are read: a tile looks for those of its own part.

#include "Models.h"
#include "npu/Dialect/NPU/IR/TensorPlacement.h"
#include "npu/ExternalModels/GatherLookup.h"
#include "npu/Interfaces/OpAccessBuilder.h"
#include "npu/Interfaces/PartwiseOpInterface.h"
#include "npu/Interfaces/StructuredFormOpInterface.h"
#include "npu/Interfaces/WorkOpInterface.h"
#include "npu/TileProgram/TilePart.h"

#include "mlir/Dialect/Arith/IR/Arith.h"
#include "mlir/Dialect/ControlFlow/IR/ControlFlowOps.h"
#include "mlir/Dialect/Linalg/IR/Linalg.h"
#include "mlir/Dialect/SCF/IR/SCF.h"
#include "mlir/Dialect/Tensor/IR/Tensor.h"

#include <fmt/format.h>

using namespace mlir;

namespace npu {
namespace {

/// Why tiles cannot make their parts of an operation that has a tensor in
/// another memory order than the logical one; nothing where it has none.
std::optional<std::string> whyOrdersNotCut(Operation *op) {
  auto isLogical = [](Type type) {
    auto tensor = dyn_cast<RankedTensorType>(type);
    return !tensor || isIdentity(getOrder(tensor));
  };
  if (llvm::all_of(op->getOperandTypes(), isLogical) &&
      llvm::all_of(op->getResultTypes(), isLogical))
    return {};
  return "a tensor of it lies in memory in another order than its dimensions";
}

/// Adds loops over dimensions that are read whole, whatever part of the result
/// is made. A dimension without entries gets a loop of one iteration, which
/// reads none of it: the result of a scatter without tuples still has to be
/// made of its data.
void addWholeLoops(OpAccessBuilder &builder, const Extents &extents,
                   int64_t begin, int64_t end,
                   SmallVectorImpl<AffineExpr> &positions) {
  for (int64_t dim = begin; dim < end; ++dim)
    positions.push_back(builder.loop(
        builder.addLoop(std::max<int64_t>(extents[dim], 1), /*reduces=*/true)));
}

struct GatherModel : PartwiseOpInterface::ExternalModel<GatherModel, GatherOp> {
  std::optional<OpAccess> getAccess(Operation *op) const {
    auto gather = cast<GatherOp>(op);
    std::optional<OpAccessBuilder> builder = OpAccessBuilder::of(op);
    // No position is in data without entries.
    if (!builder || llvm::is_contained(builder->operandExtents(0), 0))
      return std::nullopt;
    builder->loopOverResult();
    int64_t batch = gather.getBatchDims(), whole = gather.getFirstWhole();
    int64_t tuples = gather.getIndices().getType().getRank() - 1;
    SmallVector<AffineExpr> inData, inIndices;
    for (int64_t dim = 0; dim < tuples; ++dim)
      inIndices.push_back(builder->loop(dim));
    llvm::append_range(inData, ArrayRef(inIndices).take_front(batch));
    Extents ofData = builder->operandExtents(0),
            ofIndices = builder->operandExtents(1);
    addWholeLoops(*builder, ofData, batch, whole, inData);
    for (int64_t dim = whole; dim < static_cast<int64_t>(ofData.size()); ++dim)
      inData.push_back(builder->loop(tuples + dim - whole));
    addWholeLoops(*builder, ofIndices, tuples, tuples + 1, inIndices);
    builder->setOperand(0, inData);
    builder->setOperand(1, inIndices);
    return builder->finish();
  }

  std::optional<std::string> whyNotCut(Operation *op) const {
    return whyOrdersNotCut(op);
  }

  LogicalResult cutForTile(Operation *, TilePart &part) const {
    if (part.iteration().empty) {
      part.giveNothing();
      return success();
    }
    OpResult result = part.op()->getResult(0);
    part.giveProduced(result, part.cloneOnPart()->getResult(0));
    return success();
  }
};

struct ScatterModel
    : PartwiseOpInterface::ExternalModel<ScatterModel, ScatterOp> {
  std::optional<OpAccess> getAccess(Operation *op) const {
    auto scatter = cast<ScatterOp>(op);
    std::optional<OpAccessBuilder> builder = OpAccessBuilder::of(op);
    if (!builder)
      return std::nullopt;
    builder->loopOverResult();
    int64_t batch = scatter.getBatchDims(), whole = scatter.getFirstWhole();
    int64_t tuples = scatter.getIndices().getType().getRank() - 1;
    SmallVector<AffineExpr> inData, inUpdates, inIndices;
    Extents ofData = builder->operandExtents(1),
            ofIndices = builder->operandExtents(2);
    for (int64_t dim = 0; dim < static_cast<int64_t>(ofData.size()); ++dim)
      inData.push_back(builder->loop(dim));
    llvm::append_range(inIndices, ArrayRef(inData).take_front(batch));
    addWholeLoops(*builder, ofIndices, batch, tuples, inIndices);
    inUpdates = inIndices;
    llvm::append_range(inUpdates, ArrayRef(inData).drop_front(whole));
    addWholeLoops(*builder, ofIndices, tuples, tuples + 1, inIndices);
    builder->setOperand(0, inUpdates);
    builder->setOperand(1, inData);
    builder->setOperand(2, inIndices);
    return builder->finish();
  }

  std::optional<std::string> whyNotCut(Operation *op) const {
    return whyOrdersNotCut(op);
  }

  /// The same on the part that the tile makes, which says where it lies.
  LogicalResult cutForTile(Operation *op, TilePart &part) const {
    if (part.iteration().empty) {
      part.giveNothing();
      return success();
    }
    auto scatter = cast<ScatterOp>(op);
    if (scatter.getIndices().getType().getNumElements() == 0) {
      Parts data = part.parts(1);
      part.give(op->getResult(0),
                part.tiles().slice(data.values[part.tile()],
                                   data.held(part.tile()),
                                   part.held(op->getResult(0)), data.order()));
      return success();
    }
    auto local = cast<ScatterOp>(part.cloneOnPart());
    ArrayRef<int64_t> all = scatter.getData().getType().getShape().slice(
        scatter.getBatchDims(), scatter.getDepth());
    SmallVector<int64_t> origin(all.size(), 0),
        whole(scatter.getWhole().value_or(all));
    if (scatter.getOrigin())
      origin = llvm::to_vector(*scatter.getOrigin());
    bool isWhole = true;
    Box made = part.access().spanned(1, part.iteration());
    for (auto [number, begin] : llvm::enumerate(origin)) {
      Range range = made[scatter.getBatchDims() + number];
      begin += range.begin;
      isWhole &= range.extent() == whole[number];
    }
    if (!isWhole) {
      local.setOrigin(origin);
      local.setWhole(whole);
    }
    part.giveProduced(op->getResult(0), local.getResult());
    return success();
  }
};

/// A gather copies what it takes.
struct GatherWork : WorkOpInterface::ExternalModel<GatherWork, GatherOp> {
  bool countsResults(Operation *) const { return true; }
};

/// A scatter copies its updates: what it does not write is in place.
struct ScatterWork : WorkOpInterface::ExternalModel<ScatterWork, ScatterOp> {
  std::optional<unsigned> getElementOperand(Operation *) const { return 0; }
};

/// A coordinate, counted from the begin of a dimension of that extent; still
/// outside of it where it was.
Value fromBegin(OpBuilder &builder, Location loc, Value coordinate,
                Value extent) {
  if (!coordinate.getType().isIndex())
    coordinate = arith::IndexCastOp::create(builder, loc,
                                            builder.getIndexType(), coordinate);
  Value zero = arith::ConstantIndexOp::create(builder, loc, 0);
  Value isNegative = arith::CmpIOp::create(
      builder, loc, arith::CmpIPredicate::slt, coordinate, zero);
  Value fromEnd = arith::AddIOp::create(builder, loc, coordinate, extent);
  return arith::SelectOp::create(builder, loc, isNegative, fromEnd, coordinate);
}

/// Replaces an operation with one result by `made`, whose extents may be known
/// better or worse.
void replaceBy(RewriterBase &rewriter, Operation *op, Value made) {
  Type type = op->getResult(0).getType();
  if (made.getType() != type)
    made = tensor::CastOp::create(rewriter, op->getLoc(), type, made);
  rewriter.replaceOp(op, made);
}

/// Asserts that a dimension of one tensor has as many entries as one of
/// another, where the types do not say it.
void assertEqualExtents(OpBuilder &builder, Location loc, Value one,
                        int64_t dim, Value other, int64_t dimOfOther,
                        StringRef what) {
  auto isKnown = [](Value tensor, int64_t dim) {
    return !cast<RankedTensorType>(tensor.getType()).isDynamicDim(dim);
  };
  if (isKnown(one, dim) && isKnown(other, dimOfOther))
    return;
  Value equal = arith::CmpIOp::create(
      builder, loc, arith::CmpIPredicate::eq,
      linalg::createOrFoldDimOp(builder, loc, one, dim),
      linalg::createOrFoldDimOp(builder, loc, other, dimOfOther));
  cf::AssertOp::create(builder, loc, equal,
                       fmt::format("expected {}", what.str()));
}

/// The batch dimensions of data and indices have the same extents.
template <typename Op>
void assertEqualBatches(OpBuilder &builder, Op op) {
  for (int64_t dim = 0; dim < static_cast<int64_t>(op.getBatchDims()); ++dim)
    assertEqualExtents(
        builder, op.getLoc(), op.getData(), dim, op.getIndices(), dim,
        fmt::format("as many entries of batch dimension {} in the data as in "
                    "the indices",
                    dim));
}

struct GatherForm
    : StructuredFormOpInterface::ExternalModel<GatherForm, GatherOp> {
  LogicalResult rewriteAsStructured(Operation *op,
                                    RewriterBase &rewriter) const {
    replaceBy(rewriter, op, asLookup(rewriter, cast<GatherOp>(op)));
    return success();
  }
};

/// A scatter as loops over its tuples, in their order, each of which writes one
/// slice.
struct ScatterForm
    : StructuredFormOpInterface::ExternalModel<ScatterForm, ScatterOp> {
  LogicalResult rewriteAsStructured(Operation *op,
                                    RewriterBase &rewriter) const {
    auto scatter = cast<ScatterOp>(op);
    Location loc = op->getLoc();
    int64_t tuples = scatter.getIndices().getType().getRank() - 1;
    assertOneSliceForEachTuple(rewriter, scatter);
    Value zero = arith::ConstantIndexOp::create(rewriter, loc, 0);
    Value one = arith::ConstantIndexOp::create(rewriter, loc, 1);
    SmallVector<Value> begins(tuples, zero), ends, steps(tuples, one);
    for (int64_t dim = 0; dim < tuples; ++dim)
      ends.push_back(
          linalg::createOrFoldDimOp(rewriter, loc, scatter.getIndices(), dim));
    scf::LoopNest loops = scf::buildLoopNest(
        rewriter, loc, begins, ends, steps, scatter.getData(),
        [&](OpBuilder &inner, Location, ValueRange tuple, ValueRange carried) {
          return scf::ValueVector{
              writeSlice(inner, scatter, llvm::to_vector(tuple), carried[0])};
        });
    replaceBy(rewriter, op, loops.results.front());
    return success();
  }

private:
  static void assertOneSliceForEachTuple(OpBuilder &builder,
                                         ScatterOp scatter) {
    Location loc = scatter.getLoc();
    int64_t tuples = scatter.getIndices().getType().getRank() - 1;
    assertEqualBatches(builder, scatter);
    for (int64_t dim = 0; dim < scatter.getUpdates().getType().getRank(); ++dim)
      if (dim < tuples)
        assertEqualExtents(
            builder, loc, scatter.getUpdates(), dim, scatter.getIndices(), dim,
            fmt::format("as many entries of dimension {} in the updates as in "
                        "the indices",
                        dim));
      else
        assertEqualExtents(
            builder, loc, scatter.getUpdates(), dim, scatter.getData(),
            scatter.getFirstWhole() + dim - tuples,
            fmt::format("as many entries of dimension {} of the updates as of "
                        "dimension {} of the data",
                        dim, scatter.getFirstWhole() + dim - tuples));
  }

  /// `into` with the slice of one tuple.
  static Value writeSlice(OpBuilder &builder, ScatterOp scatter,
                          ArrayRef<Value> tuple, Value into) {
    Location loc = scatter.getLoc();
    int64_t batch = scatter.getBatchDims();
    SmallVector<OpFoldResult> offsets(tuple.take_front(batch));
    SmallVector<Value> coordinate(tuple);
    coordinate.push_back(Value());
    Value isHere;
    for (int64_t number = 0; number < scatter.getDepth(); ++number) {
      Value extent =
          scatter.getWhole()
              ? arith::ConstantIndexOp::create(builder, loc,
                                               (*scatter.getWhole())[number])
                    .getResult()
              : linalg::createOrFoldDimOp(builder, loc, into, batch + number);
      coordinate.back() = arith::ConstantIndexOp::create(builder, loc, number);
      Value at = fromBegin(builder, loc,
                           tensor::ExtractOp::create(
                               builder, loc, scatter.getIndices(), coordinate),
                           extent);
      if (scatter.getWhole())
        at = inPart(builder, scatter, number, at, extent, isHere);
      offsets.push_back(at);
    }
    if (!isHere)
      return insert(builder, scatter, tuple, into, offsets);
    return scf::IfOp::create(
               builder, loc, isHere,
               [&](OpBuilder &inner, Location) {
                 scf::YieldOp::create(
                     inner, loc, insert(inner, scatter, tuple, into, offsets));
               },
               [&](OpBuilder &inner, Location) {
                 scf::YieldOp::create(inner, loc, into);
               })
        .getResult(0);
  }

  /// A coordinate of the whole tensor as one of the part, with `isHere` saying
  /// whether it is of the part. Every tile asserts that it is one of the whole
  /// tensor: a position outside of that is in no tile's part.
  static Value inPart(OpBuilder &builder, ScatterOp scatter, int64_t number,
                      Value at, Value extent, Value &isHere) {
    Location loc = scatter.getLoc();
    cf::AssertOp::create(
        builder, loc,
        arith::CmpIOp::create(builder, loc, arith::CmpIPredicate::ult, at,
                              extent),
        fmt::format("expected an index of the {} entries of dimension {}",
                    (*scatter.getWhole())[number],
                    scatter.getBatchDims() + number));
    Value origin = arith::ConstantIndexOp::create(
        builder, loc, (*scatter.getOrigin())[number]);
    Value own = arith::SubIOp::create(builder, loc, at, origin);
    Value isOwn = arith::CmpIOp::create(
        builder, loc, arith::CmpIPredicate::ult, own,
        linalg::createOrFoldDimOp(builder, loc, scatter.getData(),
                                  scatter.getBatchDims() + number));
    isHere =
        isHere ? arith::AndIOp::create(builder, loc, isHere, isOwn).getResult()
               : isOwn;
    return own;
  }

  static Value insert(OpBuilder &builder, ScatterOp scatter,
                      ArrayRef<Value> tuple, Value into,
                      ArrayRef<OpFoldResult> begin) {
    Location loc = scatter.getLoc();
    int64_t whole = scatter.getFirstWhole();
    Value updates = scatter.getUpdates();
    OpFoldResult zero = builder.getIndexAttr(0), one = builder.getIndexAttr(1);
    // The types of the data and of the updates may know different extents.
    RankedTensorType updated = scatter.getUpdates().getType();
    SmallVector<OpFoldResult> slice;
    for (int64_t dim = tuple.size(); dim < updated.getRank(); ++dim)
      slice.push_back(updated.isDynamicDim(dim)
                          ? tensor::getMixedSize(builder, loc, into,
                                                 whole + dim - tuple.size())
                          : builder.getIndexAttr(updated.getDimSize(dim)));
    SmallVector<OpFoldResult> from(tuple.begin(), tuple.end()), to(begin);
    from.append(slice.size(), zero);
    to.append(slice.size(), zero);
    SmallVector<OpFoldResult> sizesFrom(tuple.size(), one), sizesTo(whole, one);
    llvm::append_range(sizesFrom, slice);
    llvm::append_range(sizesTo, slice);
    auto [extents, dynamic] = decomposeMixedValues(slice);
    auto type = RankedTensorType::get(extents, updated.getElementType());
    Value row = tensor::ExtractSliceOp::create(
        builder, loc, type, updates, from, sizesFrom,
        SmallVector<OpFoldResult>(from.size(), one));
    return tensor::InsertSliceOp::create(
        builder, loc, row, into, to, sizesTo,
        SmallVector<OpFoldResult>(to.size(), one));
  }
};

/// The coordinates with that number, one of each tuple, as a slice of the
/// indices.
Value coordinatesAt(OpBuilder &builder, GatherOp gather, int64_t number) {
  Location loc = gather.getLoc();
  if (gather.getDepth() == 1)
    return gather.getIndices();
  SmallVector<OpFoldResult> sizes =
      tensor::getMixedSizes(builder, loc, gather.getIndices());
  sizes.back() = builder.getIndexAttr(1);
  SmallVector<OpFoldResult> begin(sizes.size(), builder.getIndexAttr(0)),
      strides(sizes.size(), builder.getIndexAttr(1));
  begin.back() = builder.getIndexAttr(number);
  return tensor::ExtractSliceOp::create(builder, loc, gather.getIndices(),
                                        begin, sizes, strides);
}

} // namespace

Value asLookup(OpBuilder &builder, GatherOp gather) {
  Location loc = gather.getLoc();
  RankedTensorType type = gather.getResult().getType();
  Value data = gather.getData(), indices = gather.getIndices();
  assertEqualBatches(builder, gather);
  int64_t tuples = gather.getIndices().getType().getRank() - 1,
          batch = gather.getBatchDims(), whole = gather.getFirstWhole();
  SmallVector<OpFoldResult> sizes =
      tensor::getMixedSizes(builder, loc, indices);
  sizes.pop_back();
  llvm::append_range(
      sizes,
      ArrayRef(tensor::getMixedSizes(builder, loc, data)).drop_front(whole));
  Value result = tensor::EmptyOp::create(
      builder, loc, sizes, type.getElementType(), type.getEncoding());
  AffineMap all = builder.getMultiDimIdentityMap(type.getRank());
  SmallVector<AffineMap> maps;
  SmallVector<Value> coordinates, extents;
  for (int64_t dim = batch; dim < whole; ++dim) {
    SmallVector<AffineExpr> tuple(all.getResults().take_front(tuples));
    tuple.push_back(builder.getAffineConstantExpr(0));
    maps.push_back(
        AffineMap::get(type.getRank(), 0, tuple, builder.getContext()));
    coordinates.push_back(coordinatesAt(builder, gather, dim - batch));
    extents.push_back(linalg::createOrFoldDimOp(builder, loc, data, dim));
  }
  maps.push_back(all);
  auto body = [&](OpBuilder &inner, Location, ValueRange entries) {
    SmallVector<Value> loops;
    for (int64_t dim = 0; dim < type.getRank(); ++dim)
      loops.push_back(linalg::IndexOp::create(inner, loc, dim));
    SmallVector<Value> at(ArrayRef(loops).take_front(batch));
    for (auto [coordinate, extent] : llvm::zip(entries.drop_back(), extents))
      at.push_back(fromBegin(inner, loc, coordinate, extent));
    llvm::append_range(at, ArrayRef(loops).drop_front(tuples));
    linalg::YieldOp::create(
        inner, loc,
        tensor::ExtractOp::create(inner, loc, data, at).getResult());
  };
  SmallVector<utils::IteratorType> iterators(type.getRank(),
                                             utils::IteratorType::parallel);
  return linalg::GenericOp::create(builder, loc, result.getType(), coordinates,
                                   result, maps, iterators, body)
      .getResult(0);
}

void registerPositionModels(DialectRegistry &registry) {
  registry.addExtension(+[](MLIRContext *context, NPUDialect *) {
    GatherOp::attachInterface<GatherModel, GatherForm, GatherWork>(*context);
    ScatterOp::attachInterface<ScatterModel, ScatterForm, ScatterWork>(
        *context);
  });
}

} // namespace npu
