// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// An operation with a fault in it, in one place: its body, a map, or the order
// of its operands.

#include "FaultsOf.h"

#include "mlir/Dialect/Affine/IR/AffineOps.h"
#include "mlir/Dialect/Arith/IR/Arith.h"
#include "mlir/Dialect/Linalg/Transforms/Transforms.h"
#include "mlir/IR/PatternMatch.h"

#include <array>

#include <fmt/format.h>

using namespace mlir;

namespace npu {
namespace {

/// The same operation as a linalg.generic, whose body and maps are its own.
linalg::GenericOp generalized(linalg::LinalgOp op) {
  if (auto generic = dyn_cast<linalg::GenericOp>(op.getOperation()))
    return generic;
  IRRewriter rewriter(op.getContext());
  rewriter.setInsertionPoint(op);
  DictionaryAttr attributes = op->getDiscardableAttrDictionary();
  // Fails for operations alone that are general already.
  linalg::GenericOp generic = *linalg::generalizeNamedOp(rewriter, op);
  generic->setDiscardableAttrs(attributes);
  return generic;
}

template <typename T>
T choose(ArrayRef<T> from, std::mt19937_64 &dice) {
  return from[dice() % from.size()];
}

std::string scale(linalg::GenericOp op, std::mt19937_64 &dice) {
  // Not near 1: the sum of many short floats may be that far off by rounding.
  double factor = choose<double>(
      {0.5, 0.70710678118654752, 1.25, 1.41421356237309505, 1.5, 2}, dice);
  Operation *end = op.getBody()->getTerminator();
  OpOperand *scaled = &end->getOpOperand(0);
  Value output = op.getRegionOutputArgs()[0];
  OpBuilder builder(end);
  if (!output.use_empty()) {
    // Of a sum, what is added.
    Operation *sum = scaled->get().getDefiningOp();
    scaled = &sum->getOpOperand(sum->getOperand(0) == output ? 1 : 0);
    builder.setInsertionPoint(sum);
  }
  Value value = scaled->get();
  Location loc = op.getLoc();
  Value by = arith::ConstantOp::create(
      builder, loc, builder.getFloatAttr(value.getType(), factor));
  scaled->set(arith::MulFOp::create(builder, loc, value, by));
  return fmt::format("{} is multiplied by {}",
                     output.use_empty() ? "the result" : "each term", factor);
}

std::string dropRow(linalg::GenericOp op, unsigned dim, std::mt19937_64 &dice) {
  auto type = cast<RankedTensorType>(op->getResult(0).getType());
  auto row = static_cast<int64_t>(dice() %
                                  static_cast<uint64_t>(type.getDimSize(dim)));
  unsigned loop =
      op.getIndexingMapMatchingResult(op->getResult(0)).getDimPosition(dim);
  Operation *end = op.getBody()->getTerminator();
  OpBuilder builder(end);
  Location loc = op.getLoc();
  Value output = op.getRegionOutputArgs()[0];
  bool sums = !output.use_empty();
  Value kept = output;
  if (!sums)
    kept = arith::ConstantOp::create(
        builder, loc, builder.getZeroAttr(type.getElementType()));
  Value index = linalg::IndexOp::create(builder, loc, loop);
  Value place = arith::ConstantIndexOp::create(builder, loc, row);
  Value isRow = arith::CmpIOp::create(builder, loc, arith::CmpIPredicate::eq,
                                      index, place);
  end->setOperand(0, arith::SelectOp::create(builder, loc, isRow, kept,
                                             end->getOperand(0)));
  return fmt::format("row {} of dimension {} is {}", row, dim,
                     sums ? "what it began with" : "0");
}

std::string swapInBody(linalg::GenericOp op, unsigned place) {
  Operation &each = *std::next(op.getBody()->begin(), place);
  unsigned first = isa<arith::SelectOp>(each) ? 1 : 0;
  Value one = each.getOperand(first);
  each.setOperand(first, each.getOperand(first + 1));
  each.setOperand(first + 1, one);
  return fmt::format("the operands of {} are swapped",
                     each.getName().getStringRef().str());
}

void setIndex(linalg::GenericOp op, unsigned operand, unsigned dim,
              AffineExpr index) {
  SmallVector<AffineMap> maps = op.getIndexingMapsArray();
  SmallVector<AffineExpr> indices(maps[operand].getResults());
  indices[dim] = index;
  maps[operand] = AffineMap::get(op.getNumLoops(), 0, indices, op.getContext());
  op.setIndexingMapsAttr(Builder(op.getContext()).getAffineMapArrayAttr(maps));
}

int64_t extentOf(linalg::GenericOp op, unsigned operand, unsigned dim) {
  return cast<RankedTensorType>(op->getOperand(operand).getType())
      .getDimSize(dim);
}

/// One beside the last column there is nothing, as behind a padding of zeros.
/// The index begins again there, so that it stays inside; wrapping around alone
/// would be no fault where all columns are added up afterwards.
std::string shiftWindow(linalg::GenericOp op, unsigned operand, unsigned dim) {
  AffineExpr index = op.getIndexingMapsArray()[operand].getResult(dim);
  int64_t extent = extentOf(op, operand, dim);
  Value entry = op.getBody()->getArgument(operand);
  OpBuilder builder = OpBuilder::atBlockBegin(op.getBody());
  Location loc = op.getLoc();
  SmallVector<Value> loops;
  for (unsigned loop = 0; loop < op.getNumLoops(); ++loop)
    loops.push_back(linalg::IndexOp::create(builder, loc, loop));
  Value column = affine::AffineApplyOp::create(
      builder, loc, AffineMap::get(op.getNumLoops(), 0, index), loops);
  Value last = arith::ConstantIndexOp::create(builder, loc, extent - 1);
  Value isLast = arith::CmpIOp::create(builder, loc, arith::CmpIPredicate::eq,
                                       column, last);
  Value zero = arith::ConstantOp::create(builder, loc,
                                         builder.getZeroAttr(entry.getType()));
  auto read = arith::SelectOp::create(builder, loc, isLast, zero, entry);
  entry.replaceAllUsesExcept(read, read);
  setIndex(op, operand, dim, (index + 1) % extent);
  return fmt::format("the window over dimension {} of operand #{} is one "
                     "beside",
                     dim, operand);
}

std::string broadcastAlong(linalg::GenericOp op, unsigned operand, unsigned dim,
                           unsigned loop) {
  auto was =
      cast<AffineDimExpr>(op.getIndexingMapsArray()[operand].getResult(dim));
  int64_t extent = extentOf(op, operand, dim);
  AffineExpr index = getAffineDimExpr(loop, op.getContext());
  // A loop of another extent reads what it finds, and begins again.
  if (op.getStaticLoopRanges()[loop] != extent)
    index = index % extent;
  setIndex(op, operand, dim, index);
  return fmt::format("dimension {} of operand #{} is read along loop {} "
                     "instead of loop {}",
                     dim, operand, loop, was.getPosition());
}

} // namespace

std::string spoil(const PossibleFault &fault, std::mt19937_64 &dice) {
  linalg::LinalgOp op = fault.op;
  if (fault.kind == FaultKind::SwappedOperands &&
      fault.first == PossibleFault::matrixOperands) {
    Value one = op->getOperand(0);
    op->setOperand(0, op->getOperand(1));
    op->setOperand(1, one);
    return "its two matrices are swapped";
  }
  linalg::GenericOp generic = generalized(op);
  switch (fault.kind) {
  case FaultKind::WrongScale:
    return scale(generic, dice);
  case FaultKind::DroppedRow:
    return dropRow(generic, fault.first, dice);
  case FaultKind::SwappedOperands:
    return swapInBody(generic, fault.first);
  case FaultKind::OffByOneWindow:
    return shiftWindow(generic, fault.first, fault.second);
  case FaultKind::WrongBroadcast:
    return broadcastAlong(generic, fault.first, fault.second, fault.loop);
  }
  llvm_unreachable("every kind is handled");
}

} // namespace npu
