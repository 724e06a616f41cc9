// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception

#include "npu/Interfaces/PaddingOpInterface.h"
#include "npu/Interfaces/RematerializableOpInterface.h"

#include "mlir/Dialect/Arith/IR/Arith.h"
#include "mlir/Dialect/Utils/StructuredOpsUtils.h"
#include "mlir/IR/Matchers.h"

#include <fmt/format.h>

using namespace mlir;

#include "npu/Interfaces/PaddingOpInterface.cpp.inc"

namespace npu {

SmallVector<AffineExpr> PaddingTransfer::realExtents(Value tensor) const {
  SmallVector<AffineExpr> extents;
  for (int64_t dim = 0;
       dim < cast<RankedTensorType>(tensor.getType()).getRank(); ++dim)
    extents.push_back(realExtent(tensor, dim));
  return extents;
}

SmallVector<AffineExpr>
PaddingTransfer::exprsOf(ArrayRef<OpFoldResult> values) const {
  return llvm::map_to_vector(values,
                             [&](OpFoldResult value) { return exprOf(value); });
}

bool followsPrompt(AffineExpr expr) {
  bool follows = false;
  expr.walk([&](AffineExpr each) { follows |= isa<AffineSymbolExpr>(each); });
  return follows;
}

bool PaddingTransfer::followsPrompt(Operation *op) const {
  return llvm::any_of(op->getOperands(), [&](Value value) {
    AffineExpr expr = value.getType().isIndex() ? exprOf(value) : AffineExpr();
    return expr && npu::followsPrompt(expr);
  });
}

Refusal unknownPaddingTransfer() {
  return "it is not known what it does with padding, and it reads {}";
}

MaybeRefused joinLoop(Operation *op, unsigned loop, const PaddedDim &dim,
                      unsigned operand, PaddingState &loops) {
  std::optional<PaddedDim> &known = loops[loop];
  if (!known) {
    known = dim;
    return std::nullopt;
  }
  if (areEqual(known->real, dim.real))
    return std::nullopt;
  return Refusal(
      fmt::format("conflicting padding along loop {} of '{}': operand #{} has "
                  "{} real entries of {}, another has {} of {}",
                  loop, op->getName().getStringRef().str(), operand,
                  spell(dim.real), dim.extent, spell(known->real),
                  known->extent),
      {}, Refusal::Fail);
}

bool isNumber(AffineExpr expr, int64_t value) {
  auto number = dyn_cast_or_null<AffineConstantExpr>(expr);
  return number && number.getValue() == value;
}

Value positionWithPadding(OpBuilder &builder, Location loc, Value at,
                          const PaddedDim &dim, PaddedOperands &operands) {
  if (dim.endsInPadding())
    return at;
  Value moved = arith::AddIOp::create(
      builder, loc, at, operands.valueOf(simplified(dim.extent - dim.real)));
  if (dim.beginsWithPadding())
    return moved;
  Value inFront =
      arith::CmpIOp::create(builder, loc, arith::CmpIPredicate::slt, at,
                            operands.valueOf(simplified(dim.hole)));
  return arith::SelectOp::create(builder, loc, inFront, at, moved);
}

SmallVector<Value> cloneOnPadded(Operation *op, PaddedOperands &operands,
                                 const PaddingState *wanted) {
  SmallVector<Type> types;
  for (Value result : op->getResults())
    types.push_back(isa<RankedTensorType>(result.getType())
                        ? operands.paddedType(result)
                        : result.getType());
  SmallVector<Value> given;
  for (Value operand : op->getOperands())
    given.push_back(
        isa<RankedTensorType>(operand.getType())
            ? operands.padded(operand, wanted ? *wanted : operands.of(operand),
                              op->getLoc())
            : operand);
  Operation *copy = clone(operands.getBuilder(), op, types, given);
  return SmallVector<Value>(copy->getResults());
}

bool canBeMadeAgain(Value value) {
  return isUnwritten(value) || uniformValueOf(value) ||
         matchPattern(value, m_Constant());
}

} // namespace npu
