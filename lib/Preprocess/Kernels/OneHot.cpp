// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception

#include "OneHot.h"

#include "npu/Dialect/NPU/IR/NPUDialect.h"
#include "npu/Dialect/NPU/IR/TensorPlacement.h"

#include "mlir/Dialect/Arith/IR/Arith.h"
#include "mlir/Dialect/Linalg/IR/Linalg.h"
#include "mlir/Dialect/Tensor/IR/Tensor.h"

using namespace mlir;

namespace npu {
namespace {

/// An entry of a result is not chosen among more.
constexpr int64_t kMostCompared = 64;

/// The loops of the reduction: batch dimensions, those that positions are in,
/// those of tuples, and those that are taken whole.
struct Loops {
  Loops(RankedTensorType data, RankedTensorType indices, int64_t batch,
        int64_t depth)
      : batch(batch), depth(depth), tuples(indices.getRank() - 1 - batch),
        whole(data.getRank() - batch - depth) {}

  int64_t count() const { return batch + depth + tuples + whole; }
  int64_t firstIndexed() const { return batch; }
  int64_t firstTuple() const { return batch + depth; }
  int64_t firstWhole() const { return firstTuple() + tuples; }

  int64_t batch, depth, tuples, whole;
};

template <typename Op>
std::pair<Value, int64_t> chooseByComparing(OpBuilder &builder, Op op,
                                            const PositionBounds &bounds) {
  constexpr bool isGather = std::is_same_v<Op, GatherOp>;
  RankedTensorType data = op.getData().getType(),
                   indices = op.getIndices().getType(),
                   result = op.getResult().getType();
  auto isPlain = [](Type type) {
    auto tensor = cast<RankedTensorType>(type);
    return tensor.hasStaticShape() && tensor.getNumElements() > 0 &&
           !hasLayout(tensor);
  };
  TypedAttr zero = builder.getZeroAttr(result.getElementType());
  if (!llvm::all_of(op->getOperandTypes(), isPlain) || !isPlain(result) ||
      !zero)
    return {};
  int64_t batch = op.getBatchDims(), depth = op.getDepth();
  ArrayRef<int64_t> extents = data.getShape().slice(batch, depth);
  auto known = bounds.find(op.getIndicesMutable().getOperandNumber());
  int64_t least = *llvm::min_element(extents);
  if (known == bounds.end() || known->second.least < -least ||
      known->second.most >= least)
    return {};
  ArrayRef<int64_t> tuples = indices.getShape().drop_back().drop_front(batch);
  int64_t compared = 1;
  for (int64_t extent : isGather ? extents : tuples)
    compared *= extent;
  if (compared > kMostCompared)
    return {};

  Location loc = op.getLoc();
  Loops loops(data, indices, batch, depth);
  // Of a gather, the loops that positions are in come last, and of a scatter
  // those of tuples, because they are reduced.
  SmallVector<int64_t> place(loops.count());
  SmallVector<utils::IteratorType> iterators(loops.count(),
                                             utils::IteratorType::parallel);
  auto isReduced = [&](int64_t loop) {
    return isGather ? loop >= loops.firstIndexed() && loop < loops.firstTuple()
                    : loop >= loops.firstTuple() && loop < loops.firstWhole();
  };
  int64_t next = 0;
  for (bool reduced : {false, true})
    for (int64_t loop = 0; loop < loops.count(); ++loop)
      if (isReduced(loop) == reduced) {
        if (reduced)
          iterators[next] = utils::IteratorType::reduction;
        place[loop] = next++;
      }
  auto dim = [&](int64_t loop) {
    return builder.getAffineDimExpr(place[loop]);
  };
  auto range = [&](SmallVector<AffineExpr> &exprs, int64_t first,
                   int64_t count) {
    for (int64_t loop = first; loop < first + count; ++loop)
      exprs.push_back(dim(loop));
  };
  SmallVector<AffineExpr> inData, inTuples;
  range(inData, 0, batch);
  range(inData, loops.firstIndexed(), depth);
  range(inData, loops.firstWhole(), loops.whole);
  range(inTuples, 0, batch);
  range(inTuples, loops.firstTuple(), loops.tuples);
  SmallVector<AffineExpr> ofIndices(inTuples);
  range(inTuples, loops.firstWhole(), loops.whole);
  auto mapOf = [&](ArrayRef<AffineExpr> exprs) {
    return AffineMap::get(loops.count(), 0, exprs, builder.getContext());
  };
  SmallVector<Value> inputs;
  SmallVector<AffineMap> maps;
  Value output;
  if constexpr (isGather) {
    inputs.push_back(op.getData());
    maps.push_back(mapOf(inData));
    Value nothing = arith::ConstantOp::create(builder, loc, zero);
    Value empty = tensor::EmptyOp::create(builder, loc, result.getShape(),
                                          result.getElementType());
    output = linalg::FillOp::create(builder, loc, nothing, empty).getResult(0);
  } else {
    inputs.push_back(op.getUpdates());
    maps.push_back(mapOf(inTuples));
    output = op.getData();
  }
  for (int64_t number = 0; number < depth; ++number) {
    inputs.push_back(op.getIndices());
    SmallVector<AffineExpr> exprs(ofIndices);
    exprs.push_back(builder.getAffineConstantExpr(number));
    maps.push_back(mapOf(exprs));
  }
  maps.push_back(mapOf(isGather ? inTuples : inData));
  auto body = [&](OpBuilder &inner, Location, ValueRange entries) {
    Value isThere;
    for (int64_t number = 0; number < depth; ++number) {
      Value at = entries[1 + number];
      if (!at.getType().isIndex())
        at = arith::IndexCastOp::create(inner, loc, inner.getIndexType(), at);
      if (known->second.least < 0) {
        Value zero = arith::ConstantIndexOp::create(inner, loc, 0);
        Value extent =
            arith::ConstantIndexOp::create(inner, loc, extents[number]);
        Value isNegative = arith::CmpIOp::create(
            inner, loc, arith::CmpIPredicate::slt, at, zero);
        Value fromEnd = arith::AddIOp::create(inner, loc, at, extent);
        at = arith::SelectOp::create(inner, loc, isNegative, fromEnd, at);
      }
      Value here = linalg::IndexOp::create(
          inner, loc, place[loops.firstIndexed() + number]);
      Value isEqual =
          arith::CmpIOp::create(inner, loc, arith::CmpIPredicate::eq, at, here);
      isThere = isThere ? arith::AndIOp::create(inner, loc, isThere, isEqual)
                        : isEqual;
    }
    linalg::YieldOp::create(inner, loc,
                            arith::SelectOp::create(inner, loc, isThere,
                                                    entries.front(),
                                                    entries.back())
                                .getResult());
  };
  auto made = linalg::GenericOp::create(builder, loc, result, inputs, output,
                                        maps, iterators, body);
  return {made.getResult(0), compared};
}

} // namespace

std::pair<Value, int64_t> chooseByComparing(OpBuilder &builder, Operation *op,
                                            const PositionBounds &bounds) {
  if (auto gather = dyn_cast<GatherOp>(op))
    return chooseByComparing(builder, gather, bounds);
  auto scatter = dyn_cast<ScatterOp>(op);
  if (!scatter || scatter.getOrigin() || scatter.getWhole())
    return {};
  return chooseByComparing(builder, scatter, bounds);
}

} // namespace npu
