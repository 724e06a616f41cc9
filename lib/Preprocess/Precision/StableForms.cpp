// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception

#include "StableForms.h"
#include "ComputeIn.h"
#include "PrecisionBody.h"
#include "npu/Interfaces/PartwiseOpInterface.h"
#include "npu/Support/Decisions.h"

#include "mlir/Analysis/SliceAnalysis.h"
#include "mlir/Dialect/Arith/IR/Arith.h"
#include "mlir/Dialect/Linalg/Transforms/Transforms.h"
#include "mlir/Dialect/Tensor/IR/Tensor.h"
#include "mlir/IR/PatternMatch.h"
#include "mlir/Interfaces/SideEffectInterfaces.h"

using namespace mlir;

namespace npu {
namespace {

/// The operation around `scalar`, one of `pattern`, as a linalg.generic; it
/// takes the place of the operation in the pattern, and `scalar` becomes what
/// it is in its body.
linalg::GenericOp generalFormOf(PrecisionPattern &pattern, Operation *&scalar) {
  Operation *op = scalar->getParentOp();
  if (auto generic = dyn_cast<linalg::GenericOp>(op))
    return generic;
  auto place =
      std::distance(scalar->getBlock()->begin(), scalar->getIterator());
  IRRewriter rewriter(op->getContext());
  rewriter.setInsertionPoint(op);
  // Fails for operations alone that are general already.
  linalg::GenericOp generic =
      *linalg::generalizeNamedOp(rewriter, cast<linalg::LinalgOp>(op));
  llvm::replace(pattern.ops, op, generic.getOperation());
  if (pattern.last == op)
    pattern.last = generic;
  if (pattern.root == op)
    pattern.root = generic;
  scalar = &*std::next(generic.getBody()->begin(), place);
  return generic;
}

/// Lets `op` read `tensor` at `map` as its last input; returns the entry.
Value appendInput(linalg::GenericOp op, Value tensor, AffineMap map) {
  SmallVector<AffineMap> maps = op.getIndexingMapsArray();
  unsigned place = op.getNumDpsInputs();
  maps.insert(maps.begin() + place, map);
  op.getInputsMutable().append(tensor);
  op.setIndexingMapsAttr(Builder(op.getContext()).getAffineMapArrayAttr(maps));
  return op.getBody()->insertArgument(
      place, getElementTypeOrSelf(tensor.getType()), op.getLoc());
}

/// Why the sum of (x - y)^2 cannot be written; empty if it can.
StringRef whyNot(PrecisionPattern &pattern) {
  if (!pattern.direct)
    return "the sum has further terms, or x and y are no entries of tensors";
  if (pattern.root.hasDynamicShape() ||
      llvm::any_of(pattern.direct->extents, ShapedType::isDynamic))
    return "a shape is dynamic";
  if (pattern.root.getNumReductionLoops() != 0)
    return "the terms meet inside of a sum";
  for (const ReadAt &read : {pattern.direct->first, pattern.direct->second})
    if (!read.map.isProjectedPermutation(/*allowZeroInResults=*/true))
      return "x or y is read at computed places";
  return "";
}

/// The sum over (x - y)^2 at the loops of the root, in f32, or in f64 where x
/// or y is.
linalg::GenericOp sumOfSquares(OpBuilder &builder, PrecisionPattern &pattern) {
  Location loc = pattern.root.getLoc();
  const DirectForm &form = *pattern.direct;
  SmallVector<int64_t> shape = pattern.root.getStaticLoopRanges();
  unsigned loops = shape.size();
  Type type = builder.getF32Type();
  for (Value tensor : {form.first.tensor, form.second.tensor})
    if (getElementTypeOrSelf(tensor).isF64())
      type = builder.getF64Type();
  Value empty = tensor::EmptyOp::create(builder, loc, shape, type);
  Value zero =
      arith::ConstantOp::create(builder, loc, builder.getZeroAttr(type));
  Value init = linalg::FillOp::create(builder, loc, zero, empty).getResult(0);
  SmallVector<utils::IteratorType> kinds(loops, utils::IteratorType::parallel);
  kinds.append(form.extents.size(), utils::IteratorType::reduction);
  AffineMap made =
      AffineMap::getMultiDimIdentityMap(loops, builder.getContext());
  made =
      AffineMap::get(kinds.size(), 0, made.getResults(), builder.getContext());
  return linalg::GenericOp::create(
      builder, loc, init.getType(),
      ValueRange{form.first.tensor, form.second.tensor}, init,
      ArrayRef<AffineMap>{form.first.map, form.second.map, made}, kinds,
      [&](OpBuilder &body, Location at, ValueRange entries) {
        Value x = convertScalar(body, at, entries[0], type);
        Value y = convertScalar(body, at, entries[1], type);
        Value apart = arith::SubFOp::create(body, at, x, y);
        Value square = arith::MulFOp::create(body, at, apart, apart);
        linalg::YieldOp::create(
            body, at,
            ValueRange(arith::AddFOp::create(body, at, entries[2], square)));
      });
}

/// Erases inputs that the body does not read, all but the last.
void dropUnread(linalg::GenericOp op) {
  SmallVector<AffineMap> maps = op.getIndexingMapsArray();
  for (int64_t i = op.getNumDpsInputs() - 2; i >= 0; --i) {
    if (!op.getBody()->getArgument(i).use_empty())
      continue;
    op.getBody()->eraseArgument(i);
    op.getInputsMutable().erase(i);
    maps.erase(maps.begin() + i);
  }
  op.setIndexingMapsAttr(Builder(op.getContext()).getAffineMapArrayAttr(maps));
}

/// Lets the body of `op` read `sum` where it computed `scalar`.
void readInstead(linalg::GenericOp op, Operation *scalar, Value sum,
                 double coefficient) {
  Value entry = appendInput(
      op, sum,
      AffineMap::getMultiDimIdentityMap(op.getNumLoops(), op.getContext()));
  OpBuilder builder(scalar);
  Location loc = scalar->getLoc();
  if (coefficient != 1) {
    Value factor = arith::ConstantOp::create(
        builder, loc, builder.getFloatAttr(entry.getType(), coefficient));
    entry = arith::MulFOp::create(builder, loc, factor, entry);
  }
  // In f32 from here on: the cast goes when the body is written in that type.
  Value result =
      convertScalar(builder, loc, entry, scalar->getResult(0).getType());
  scalar->getResult(0).replaceAllUsesWith(result);
  // Who casts it to f32 has it so already.
  for (Operation *user : llvm::make_early_inc_range(result.getUsers()))
    if (isa<arith::ExtFOp>(user) &&
        user->getResult(0).getType() == entry.getType())
      user->getResult(0).replaceAllUsesWith(entry);
  for (Operation &each :
       llvm::make_early_inc_range(llvm::reverse(*op.getBody())))
    if (isOpTriviallyDead(&each))
      each.erase();
  dropUnread(op);
}

} // namespace

void computeDirectly(PrecisionPattern &pattern) {
  StringRef reason = whyNot(pattern);
  if (!reason.empty())
    return remarkLeftAlone(pattern.root,
                           [&] { return "distances=direct: " + reason.str(); });
  Operation *root = pattern.root;
  Operation *scalar = pattern.scalar.getDefiningOp();
  OpBuilder builder(root);
  linalg::GenericOp sum = sumOfSquares(builder, pattern);
  root = generalFormOf(pattern, scalar);
  llvm::SetVector<Operation *> before;
  for (Value operand : root->getOperands())
    if (Operation *def = operand.getDefiningOp())
      before.insert(def);
  readInstead(cast<linalg::GenericOp>(root), scalar, sum.getResult(0),
              pattern.direct->coefficient);
  auto at = llvm::find(pattern.ops, root);
  before.insert(pattern.ops.begin(), at);
  pattern.ops.erase(pattern.ops.begin(), at);
  pattern.ops.insert(pattern.ops.begin(), sum);
  eraseDead(std::move(before));
}

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

/// Whether the pattern alone uses the result of `op`, also after what moves
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

/// Whether a tensor comes from the pattern, also after what moves it.
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
