// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception

#include "npu/Interfaces/RowTransfer.h"

#include "mlir/Dialect/Utils/StaticValueUtils.h"
#include "mlir/IR/BuiltinTypes.h"

using namespace mlir;

namespace npu {

std::string cacheUpdatedTwice(unsigned argument) {
  return "the cache of argument #" + std::to_string(argument) +
         " is updated twice, and the next chunk would find one update alone";
}

bool RowTransfer::isLength(OpFoldResult size) const {
  AffineExpr expr = exprOf(size);
  return expr && expr == getAffineSymbolExpr(1, expr.getContext());
}

bool RowTransfer::isOffset(OpFoldResult value) const {
  AffineExpr expr = exprOf(value);
  return expr && expr == getAffineSymbolExpr(0, expr.getContext());
}

bool RowTransfer::isLastRow(OpFoldResult value) const {
  AffineExpr expr = exprOf(value);
  return expr && expr == getAffineSymbolExpr(1, expr.getContext()) - 1;
}

bool RowTransfer::isWhole(Value source, int64_t dim, OpFoldResult offset,
                          OpFoldResult size, OpFoldResult stride) const {
  if (!isConstantIntValue(offset, 0) || !isConstantIntValue(stride, 1))
    return false;
  auto type = cast<RankedTensorType>(source.getType());
  if (type.isDynamicDim(dim))
    return of(source).row == dim && isLength(size);
  return isConstantIntValue(size, type.getDimSize(dim));
}

WhyNotCausal RowTransfer::join(Operation *op, Dependence &joined) const {
  for (Value operand : op->getOperands()) {
    Dependence dependence = of(operand);
    if (dependence.row) {
      if (joined.row && joined.row != dependence.row)
        return "rows of the prompt stand in two dimensions";
      joined.row = dependence.row;
    }
    if (dependence.position) {
      if (joined.position && joined.position != dependence.position)
        return "positions of the cache stand in two dimensions";
      joined.position = dependence.position;
    }
    joined.last |= dependence.last;
  }
  if (joined.row && joined.row == joined.position)
    return rowsMeetPositions.str();
  for (OpOperand &operand : op->getOpOperands())
    if (isa<TensorType>(operand.get().getType()) &&
        of(operand.get()).row != joined.row)
      return "rows of the prompt meet what are none in operand #" +
             std::to_string(operand.getOperandNumber());
  if (joined.last && joined.row)
    return rowsFollowFromLast.str();
  if (joined.last)
    joined.position = std::nullopt;
  return std::nullopt;
}

} // namespace npu
