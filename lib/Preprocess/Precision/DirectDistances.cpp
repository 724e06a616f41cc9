// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception

#include "DirectDistances.h"
#include "ComputeIn.h"
#include "GeneralForm.h"
#include "npu/Support/Decisions.h"

#include "mlir/Dialect/Arith/IR/Arith.h"
#include "mlir/Dialect/Tensor/IR/Tensor.h"
#include "mlir/Interfaces/SideEffectInterfaces.h"

using namespace mlir;

namespace npu {
namespace {

/// Checks that the sum of (x - y)^2 can be written.
Result<> checkDirect(PrecisionPattern &pattern) {
  if (!pattern.direct)
    return Error{
        "the sum has further terms, or x and y are no entries of tensors"};
  if (pattern.root.hasDynamicShape() ||
      llvm::any_of(pattern.direct->extents, ShapedType::isDynamic))
    return Error{"a shape is dynamic"};
  if (pattern.root.getNumReductionLoops() != 0)
    return Error{"the terms meet inside of a sum"};
  for (const ReadAt &read : {pattern.direct->first, pattern.direct->second})
    if (!read.map.isProjectedPermutation(/*allowZeroInResults=*/true))
      return Error{"x or y is read at computed places"};
  return Success();
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
  if (Result<> checked = checkDirect(pattern); !checked)
    return remarkLeftAlone(pattern.root, [&] {
      return "distances=direct: " + checked.error().message;
    });
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

} // namespace npu
