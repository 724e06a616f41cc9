// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception

#include "BodyPattern.h"

#include "mlir/Dialect/Arith/IR/Arith.h"
#include "mlir/Dialect/Math/IR/Math.h"
#include "mlir/Interfaces/CastInterfaces.h"

using namespace mlir;

namespace npu {
namespace {

bool isTensor(Value value) { return isa<RankedTensorType>(value.getType()); }

/// The operand that an argument of the body stands for; null where `value` is
/// no argument of the body.
OpOperand *operandAfter(linalg::LinalgOp op, Value value) {
  auto argument = dyn_cast<BlockArgument>(value);
  if (!argument || argument.getOwner() != op.getBlock())
    return nullptr;
  for (OpOperand &operand : op->getOpOperands())
    if (op.getMatchingBlockArgument(&operand) == argument)
      return &operand;
  return nullptr;
}

/// Whether `value` is the same in all iterations.
bool isInvariant(linalg::LinalgOp op, Value value) {
  if (Operation *made = value.getDefiningOp())
    return made->hasTrait<OpTrait::ConstantLike>() ||
           made->getBlock() != op.getBlock();
  OpOperand *operand = operandAfter(op, value);
  return !operand || !isTensor(operand->get());
}

/// What `value` is converted from, in any number of steps.
Value beforeConversions(Value value) {
  while (auto cast = value.getDefiningOp<CastOpInterface>()) {
    if (cast->getNumOperands() != 1)
      break;
    value = cast->getOperand(0);
  }
  return value;
}

/// What `value` is converted from, and before zero points are subtracted.
Value beforeZeroPoints(linalg::LinalgOp op, Value value) {
  while (true) {
    value = beforeConversions(value);
    Operation *made = value.getDefiningOp();
    if (!isa_and_nonnull<arith::SubIOp, arith::SubFOp>(made) ||
        !isInvariant(op, beforeConversions(made->getOperand(1))))
      return value;
    value = made->getOperand(0);
  }
}

/// What the only output is made of in each iteration; null where there are
/// several outputs.
Value yielded(linalg::LinalgOp op) {
  if (op.getNumDpsInits() != 1 || op->getNumResults() != 1)
    return {};
  Operation *terminator = op.getBlock()->getTerminator();
  return terminator->getNumOperands() == 1 ? terminator->getOperand(0)
                                           : Value();
}

bool isAccumulator(linalg::LinalgOp op, Value value) {
  return beforeConversions(value) == op.getRegionOutputArgs()[0];
}

/// What `combining`, an operation on two values, combines with the accumulator;
/// null where it does not.
Value combinedWith(linalg::LinalgOp op, Operation *combining) {
  if (isAccumulator(op, combining->getOperand(0)))
    return combining->getOperand(1);
  if (isAccumulator(op, combining->getOperand(1)))
    return combining->getOperand(0);
  return {};
}

using Pair = std::optional<std::pair<OpOperand *, OpOperand *>>;

/// The two tensor inputs after two values, in the order of operands.
Pair tensorsAfter(linalg::LinalgOp op, Value first, Value second) {
  OpOperand *a = operandAfter(op, beforeZeroPoints(op, first));
  OpOperand *b = operandAfter(op, beforeZeroPoints(op, second));
  if (!a || !b || a == b || !isTensor(a->get()) || !isTensor(b->get()) ||
      !op.isDpsInput(a) || !op.isDpsInput(b))
    return std::nullopt;
  if (a->getOperandNumber() > b->getOperandNumber())
    std::swap(a, b);
  return std::pair{a, b};
}

} // namespace

Pair summedProduct(linalg::LinalgOp op) {
  Value result = yielded(op);
  if (!result)
    return std::nullopt;
  Operation *sum = beforeConversions(result).getDefiningOp();
  if (auto fused = dyn_cast_or_null<math::FmaOp>(sum))
    return isAccumulator(op, fused.getC())
               ? tensorsAfter(op, fused.getA(), fused.getB())
               : std::nullopt;
  if (!isa_and_nonnull<arith::AddFOp, arith::AddIOp>(sum))
    return std::nullopt;
  Value term = combinedWith(op, sum);
  Operation *product = term ? beforeConversions(term).getDefiningOp() : nullptr;
  if (!isa_and_nonnull<arith::MulFOp, arith::MulIOp>(product))
    return std::nullopt;
  return tensorsAfter(op, product->getOperand(0), product->getOperand(1));
}

OpOperand *combinedTensor(linalg::LinalgOp op) {
  Value result = yielded(op);
  if (!result)
    return nullptr;
  Operation *combining = beforeConversions(result).getDefiningOp();
  if (!combining || !isEngineArithmetic(combining) ||
      isa<arith::MulFOp, arith::MulIOp, arith::SubFOp, arith::SubIOp>(
          combining))
    return nullptr;
  Value term = combinedWith(op, combining);
  OpOperand *operand =
      term ? operandAfter(op, beforeConversions(term)) : nullptr;
  bool isInput = operand && isTensor(operand->get()) && op.isDpsInput(operand);
  return isInput ? operand : nullptr;
}

bool isEngineArithmetic(Operation *op) {
  return isa<arith::AddFOp, arith::AddIOp, arith::SubFOp, arith::SubIOp,
             arith::MulFOp, arith::MulIOp, arith::MaximumFOp, arith::MaxNumFOp,
             arith::MaxSIOp, arith::MaxUIOp, arith::MinimumFOp,
             arith::MinNumFOp, arith::MinSIOp, arith::MinUIOp>(op);
}

Pair onlyArithmetic(linalg::LinalgOp op) {
  Value result = yielded(op);
  Operation *only = result ? result.getDefiningOp() : nullptr;
  if (!only || !isEngineArithmetic(only) || only != &op.getBlock()->front() ||
      only->getNextNode() != op.getBlock()->getTerminator())
    return std::nullopt;
  OpOperand *a = operandAfter(op, only->getOperand(0));
  OpOperand *b = operandAfter(op, only->getOperand(1));
  if (!a || !b || !isTensor(a->get()) || !isTensor(b->get()))
    return std::nullopt;
  return std::pair{a, b};
}

} // namespace npu
