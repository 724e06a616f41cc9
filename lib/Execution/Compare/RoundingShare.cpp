// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception

#include "RoundingShare.h"

#include "mlir/Dialect/Arith/IR/Arith.h"
#include "mlir/Dialect/Math/IR/Math.h"
#include "mlir/Dialect/Tensor/IR/Tensor.h"
#include "mlir/Dialect/Utils/StructuredOpsUtils.h"
#include "mlir/IR/IRMapping.h"

using namespace mlir;

namespace npu {
namespace {

Value inF64(OpBuilder &builder, Location loc, Value scalar) {
  if (scalar.getType().isF64())
    return scalar;
  return arith::ExtFOp::create(builder, loc, builder.getF64Type(), scalar);
}

Value magnitudeOf(OpBuilder &builder, Location loc, Value scalar) {
  return math::AbsFOp::create(builder, loc, inF64(builder, loc, scalar));
}

/// Builds the condition that both are the same number, or both are NaN.
Value areSame(OpBuilder &builder, Location loc, Value a, Value b) {
  auto compare = [&](arith::CmpFPredicate predicate, Value x, Value y) {
    return arith::CmpFOp::create(builder, loc, predicate, x, y);
  };
  Value nans = arith::AndIOp::create(builder, loc,
                                     compare(arith::CmpFPredicate::UNO, a, a),
                                     compare(arith::CmpFPredicate::UNO, b, b));
  return arith::OrIOp::create(builder, loc,
                              compare(arith::CmpFPredicate::OEQ, a, b), nans);
}

} // namespace

LogicalResult RoundingShares::measure(linalg::LinalgOp op,
                                      const Reduction &reduction,
                                      Value inParts) {
  auto type = cast<RankedTensorType>(inParts.getType());
  auto element = dyn_cast<FloatType>(type.getElementType());
  bool isReturnable =
      function.getBody().hasOneBlock() && op->getBlock() == &function.front() &&
      SymbolTable::symbolKnownUseEmpty(function, function->getParentOp());
  if (!isReturnable || !type.hasStaticShape() || !element ||
      element.getWidth() > 64)
    return failure();
  builder.setInsertionPointAfterValue(inParts);
  Value whole = op->getResult(0);
  shares.push_back(largestShare(inParts, whole, magnitudes(op, reduction)));
  return success();
}

/// Builds |init| + sum of |terms|, or |product|, in f64.
Value RoundingShares::magnitudes(linalg::LinalgOp op,
                                 const Reduction &reduction) {
  Location loc = op.getLoc();
  bool isSum = isa<arith::AddFOp>(reduction.combiner);
  Value start = isSum ? op.getDpsInitOperand(0)->get() : op->getResult(0);
  auto from = cast<RankedTensorType>(start.getType());
  auto type = RankedTensorType::get(from.getShape(), builder.getF64Type());
  Value empty = tensor::EmptyOp::create(builder, loc, type.getShape(),
                                        type.getElementType());
  AffineMap identity = builder.getMultiDimIdentityMap(type.getRank());
  SmallVector<utils::IteratorType> parallel(type.getRank(),
                                            utils::IteratorType::parallel);
  Value first =
      linalg::GenericOp::create(
          builder, loc, TypeRange{type}, ValueRange{start}, ValueRange{empty},
          ArrayRef<AffineMap>{identity, identity}, parallel,
          [&](OpBuilder &body, Location loc, ValueRange arguments) {
            linalg::YieldOp::create(body, loc,
                                    magnitudeOf(body, loc, arguments[0]));
          })
          .getResult(0);
  if (!isSum)
    return first;
  auto generic = linalg::GenericOp::create(
      builder, loc, TypeRange{type}, op.getDpsInputs(), first,
      op.getIndexingMapsArray(), op.getIteratorTypesArray());
  IRMapping mapping;
  op->getRegion(0).cloneInto(&generic.getRegion(), mapping);
  OpBuilder::InsertionGuard guard(builder);
  Block *body = generic.getBody();
  Operation *combiner = mapping.lookup(reduction.combiner);
  BlockArgument accumulator = body->getArguments().back();
  Value term = combiner->getOperand(combiner->getOperand(0) == accumulator);
  accumulator.setType(builder.getF64Type());
  builder.setInsertionPoint(combiner);
  Value sum = arith::AddFOp::create(builder, loc, accumulator,
                                    magnitudeOf(builder, loc, term));
  body->getTerminator()->setOperand(0, sum);
  combiner->erase();
  return generic.getResult(0);
}

Value RoundingShares::largestShare(Value inParts, Value whole,
                                   Value magnitude) {
  Location loc = inParts.getLoc();
  int64_t rank = cast<RankedTensorType>(inParts.getType()).getRank();
  auto type = RankedTensorType::get({}, builder.getF64Type());
  Value zero = arith::ConstantOp::create(
      builder, loc,
      DenseElementsAttr::get(type, builder.getF64FloatAttr(0).getValue()));
  AffineMap identity = builder.getMultiDimIdentityMap(rank);
  SmallVector<AffineMap> maps(3, identity);
  maps.push_back(AffineMap::get(rank, 0, builder.getContext()));
  SmallVector<utils::IteratorType> kinds(rank, utils::IteratorType::reduction);
  auto generic = linalg::GenericOp::create(
      builder, loc, TypeRange{type}, ValueRange{inParts, whole, magnitude},
      ValueRange{zero}, maps, kinds,
      [&](OpBuilder &body, Location loc, ValueRange arguments) {
        Value a = inF64(body, loc, arguments[0]);
        Value b = inF64(body, loc, arguments[1]);
        Value apart = math::AbsFOp::create(
            body, loc, arith::SubFOp::create(body, loc, a, b));
        Value share = arith::DivFOp::create(body, loc, apart, arguments[2]);
        Value none =
            arith::ConstantOp::create(body, loc, body.getF64FloatAttr(0));
        share = arith::SelectOp::create(body, loc, areSame(body, loc, a, b),
                                        none, share);
        Value largest =
            arith::MaximumFOp::create(body, loc, arguments[3], share);
        linalg::YieldOp::create(body, loc, largest);
      });
  return generic.getResult(0);
}

void RoundingShares::returnAll() {
  if (shares.empty())
    return;
  Operation *terminator = function.front().getTerminator();
  for (Value share : shares) {
    unsigned number = function.getNumResults();
    (void)function.insertResult(number, share.getType(), {});
    terminator->insertOperands(number, share);
  }
}

} // namespace npu
