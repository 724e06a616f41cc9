// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception

#include "SubtractMaximum.h"
#include "GeneralForm.h"
#include "PrecisionBody.h"
#include "npu/Interfaces/PartwiseOpInterface.h"
#include "npu/Support/Decisions.h"

#include "mlir/Analysis/SliceAnalysis.h"
#include "mlir/Dialect/Arith/IR/Arith.h"
#include "mlir/Dialect/Tensor/IR/Tensor.h"

using namespace mlir;

namespace npu {
namespace {

/// What of the body of `op` the operand of `exponential` is computed by, in
/// order.
SetVector<Operation *> sliceOf(Operation *exponential) {
  SetVector<Operation *> slice;
  BackwardSliceOptions options;
  options.filter = [&](Operation *each) {
    return each->getBlock() == exponential->getBlock();
  };
  (void)getBackwardSlice(exponential, &slice, options);
  return slice;
}

/// The inputs that the operand of `exponential` is computed from.
SmallVector<OpOperand *> readBy(linalg::LinalgOp op, Operation *exponential) {
  SetVector<Operation *> slice = sliceOf(exponential);
  slice.insert(exponential);
  return llvm::filter_to_vector(op.getDpsInputOperands(), [&](OpOperand *each) {
    return llvm::any_of(op.getMatchingBlockArgument(each).getUsers(),
                        [&](Operation *user) { return slice.contains(user); });
  });
}

/// Whether the pattern alone uses the result of `op`, also behind what moves
/// it.
bool isUsedInside(Operation *op, const PrecisionPattern &pattern) {
  return llvm::all_of(op->getUsers(), [&](Operation *user) {
    if (llvm::is_contained(pattern.ops, user))
      return true;
    auto structured = dyn_cast<linalg::LinalgOp>(user);
    bool moves = structured ? computesNothing(structured)
                            : viewedTensor(user) != Value();
    return moves && isUsedInside(user, pattern);
  });
}

/// Whether a tensor comes from the pattern, also behind what moves it.
bool comesFrom(Value value, const PrecisionPattern &pattern) {
  Operation *op = value.getDefiningOp();
  if (!op)
    return false;
  if (llvm::is_contained(pattern.ops, op))
    return true;
  if (Value viewed = viewedTensor(op))
    return comesFrom(viewed, pattern);
  auto structured = dyn_cast<linalg::LinalgOp>(op);
  return structured && computesNothing(structured) &&
         llvm::any_of(structured.getDpsInputs(),
                      [&](Value input) { return comesFrom(input, pattern); });
}

/// Whether the body of the root uses exponentials and their sums for nothing
/// but the quotient.
bool onlyDivides(PrecisionPattern &pattern) {
  Operation *quotient = pattern.scalar.getDefiningOp();
  if (!quotient)
    return false;
  SetVector<Operation *> slice = sliceOf(quotient);
  slice.insert(quotient);
  SmallVector<Value> carried;
  for (OpOperand &operand : pattern.root->getOpOperands())
    if (comesFrom(operand.get(), pattern))
      carried.push_back(pattern.root.getMatchingBlockArgument(&operand));
  for (const Exponential &each : pattern.exponentials)
    if (each.op->getBlock() == quotient->getBlock())
      carried.push_back(each.op->getResult(0));
  while (!carried.empty())
    for (Operation *user : carried.pop_back_val().getUsers()) {
      if (!slice.contains(user))
        return false;
      if (user != quotient)
        llvm::append_range(carried, user->getResults());
    }
  return true;
}

/// Whether what is subtracted cancels in all that is computed: only quotients
/// leave the pattern.
bool cancels(PrecisionPattern &pattern) {
  Operation *root = pattern.root;
  for (Operation *op : pattern.ops) {
    if (op == root)
      return onlyDivides(pattern);
    if (!isUsedInside(op, pattern))
      return false;
  }
  return true;
}

/// Checks that the largest of a row can be subtracted.
Result<> checkRow(const Exponential &each) {
  auto op = cast<linalg::LinalgOp>(each.op->getParentOp());
  if (op.hasDynamicShape())
    return Error{"a shape is dynamic"};
  SmallVector<unsigned> reduced;
  op.getReductionDims(reduced);
  for (unsigned loop : reduced)
    if (!llvm::is_contained(each.row, loop))
      return Error{"the exponential is in another sum"};
  for (unsigned loop : each.row) {
    bool seen = llvm::any_of(readBy(op, each.op), [&](OpOperand *input) {
      return llvm::is_contained(op.getMatchingIndexingMap(input).getResults(),
                                getAffineDimExpr(loop, op.getContext()));
    });
    if (!seen)
      return Error{"the rows are read at computed places"};
  }
  return Success();
}

/// The map to the loops of `op` that do not go along the row.
AffineMap besideRow(linalg::LinalgOp op, ArrayRef<unsigned> row) {
  SmallVector<AffineExpr> loops;
  for (unsigned loop = 0; loop < op.getNumLoops(); ++loop)
    if (!llvm::is_contained(row, loop))
      loops.push_back(getAffineDimExpr(loop, op.getContext()));
  return AffineMap::get(op.getNumLoops(), 0, loops, op.getContext());
}

/// The largest operand of `exponential` of each row.
linalg::GenericOp largestOf(linalg::GenericOp op, Operation *exponential,
                            ArrayRef<unsigned> row) {
  OpBuilder builder(op);
  Location loc = exponential->getLoc();
  Type type = exponential->getOperand(0).getType();
  AffineMap made = besideRow(op, row);
  SmallVector<int64_t> extents = op.getStaticLoopRanges(), shape;
  SmallVector<utils::IteratorType> kinds(op.getNumLoops(),
                                         utils::IteratorType::parallel);
  for (unsigned loop : row)
    kinds[loop] = utils::IteratorType::reduction;
  for (AffineExpr loop : made.getResults())
    shape.push_back(extents[cast<AffineDimExpr>(loop).getPosition()]);
  auto lowest =
      APFloat::getInf(cast<FloatType>(type).getFloatSemantics(), true);
  Value begin = arith::ConstantOp::create(builder, op.getLoc(),
                                          FloatAttr::get(type, lowest));
  Value empty = tensor::EmptyOp::create(builder, op.getLoc(), shape, type);
  Value init =
      linalg::FillOp::create(builder, op.getLoc(), begin, empty).getResult(0);
  SmallVector<Value> inputs;
  SmallVector<AffineMap> maps;
  SmallVector<OpOperand *> read = readBy(op, exponential);
  for (OpOperand *each : read) {
    inputs.push_back(each->get());
    maps.push_back(op.getMatchingIndexingMap(each));
  }
  maps.push_back(made);
  return linalg::GenericOp::create(
      builder, op.getLoc(), init.getType(), inputs, init, maps, kinds,
      [&](OpBuilder &body, Location, ValueRange entries) {
        IRMapping mapping;
        for (auto [each, entry] : llvm::zip(read, entries))
          mapping.map(op.getMatchingBlockArgument(each), entry);
        for (Operation *each : sliceOf(exponential))
          body.clone(*each, mapping);
        Value number = mapping.lookupOrDefault(exponential->getOperand(0));
        linalg::YieldOp::create(body, loc,
                                ValueRange(arith::MaximumFOp::create(
                                    body, loc, entries.back(), number)));
      });
}

} // namespace

void subtractMaximum(PrecisionPattern &pattern) {
  Result<> checked = Success();
  if (pattern.exponentials.empty())
    checked = Error{"something is added to the sum"};
  else if (!cancels(pattern))
    checked = Error{"the exponentials or their sum are used elsewhere"};
  for (const Exponential &each : pattern.exponentials)
    if (checked)
      checked = checkRow(each);
  if (!checked)
    return remarkLeftAlone(linalg::LinalgOp(pattern.root), [&] {
      return "softmax=subtract-maximum: " + checked.error().message;
    });
  for (Exponential &each : pattern.exponentials) {
    linalg::GenericOp op = generalFormOf(pattern, each.op);
    linalg::GenericOp largest = largestOf(op, each.op, each.row);
    pattern.ops.insert(llvm::find(pattern.ops, op.getOperation()), largest);
    Value entry =
        appendInput(op, largest.getResult(0), besideRow(op, each.row));
    OpBuilder builder(each.op);
    each.op->setOperand(0,
                        arith::SubFOp::create(builder, each.op->getLoc(),
                                              each.op->getOperand(0), entry));
  }
}

} // namespace npu
