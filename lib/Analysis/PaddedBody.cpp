// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception

#include "PaddedBody.h"

#include "mlir/Analysis/FlatLinearValueConstraints.h"
#include "mlir/IR/Matchers.h"

using namespace mlir;

namespace npu {

PaddedBody::PaddedBody(const PaddingAnalysis &analysis, linalg::LinalgOp op,
                       const PaddingState &loops, unsigned paddedLoop)
    : analysis(analysis), op(op), loops(loops), paddedLoop(paddedLoop) {}

TypedAttr PaddedBody::yielded(unsigned number) {
  return valueOf(op.getBlock()->getTerminator()->getOperand(number));
}

TypedAttr PaddedBody::argument(BlockArgument argument) {
  OpOperand *operand = op.getMatchingOpOperand(argument);
  Value value = operand->get();
  TypedAttr constant;
  if (!isa<TensorType>(value.getType())) {
    matchPattern(value, m_Constant(&constant));
    return constant;
  }
  // A constant everywhere, or in the padding that the loop stands in.
  DenseElementsAttr elements;
  if (matchPattern(value, m_Constant(&elements)))
    return elements.isSplat() ? elements.getSplatValue<TypedAttr>()
                              : TypedAttr();
  if (auto fill = value.getDefiningOp<linalg::FillOp>()) {
    matchPattern(fill.getInputs()[0], m_Constant(&constant));
    return constant;
  }
  const PaddingState &state = analysis.of(value);
  AffineMap map = op.getMatchingIndexingMap(operand);
  for (auto [dim, expr] : llvm::enumerate(map.getResults()))
    if (expr == getAffineDimExpr(paddedLoop, op->getContext()) &&
        dim < state.size() && state[dim])
      return state[dim]->content;
  return {};
}

AffineExpr PaddedBody::positionOf(Value value) {
  Operation *def = value.getDefiningOp();
  if (AffineExpr outside = analysis.exprOf(value))
    return outside;
  if (!def || def->getBlock() != op.getBlock())
    return {};
  if (auto index = dyn_cast<linalg::IndexOp>(def)) {
    unsigned loop = index.getDim();
    AffineExpr position = getAffineDimExpr(loop, op->getContext());
    const auto &padded = loops[loop];
    if (!padded || padded->endsInPadding())
      return position;
    // The real position, as it counted without padding.
    return padded->beginsWithPadding()
               ? position - (padded->extent - padded->real)
               : AffineExpr();
  }
  if (isa<arith::IndexCastOp, arith::IndexCastUIOp>(def))
    return positionOf(def->getOperand(0));
  if (isa<arith::AddIOp, arith::SubIOp>(def)) {
    AffineExpr a = positionOf(def->getOperand(0)),
               b = positionOf(def->getOperand(1));
    if (!a || !b)
      return {};
    return isa<arith::AddIOp>(def) ? a + b : a - b;
  }
  return {};
}

bool PaddedBody::never(AffineExpr expr) {
  unsigned numLoops = loops.size();
  FlatLinearConstraints system(numLoops, /*numSymbols=*/1, 0);
  bool understood = true;
  auto atLeastZero = [&](AffineExpr bound) {
    std::vector<SmallVector<int64_t, 8>> rows;
    FlatLinearConstraints locals;
    AffineMap map = AffineMap::get(numLoops, 1, bound);
    if (failed(getFlattenedAffineExprs(map, &rows, &locals)) ||
        rows[0].size() != system.getNumCols()) {
      understood = false;
      return;
    }
    system.addInequality(rows[0]);
  };
  MLIRContext *context = op->getContext();
  AffineExpr length = getAffineSymbolExpr(0, context);
  const Prompt &prompt = analysis.getPrompt();
  if (prompt.length) {
    atLeastZero(length - *prompt.length);
    atLeastZero(*prompt.length - length);
  } else {
    atLeastZero(length - 1);
    atLeastZero(prompt.maxLength - length);
  }
  SmallVector<int64_t> extents = op.getStaticLoopRanges();
  for (unsigned loop = 0; loop < numLoops; ++loop) {
    AffineExpr position = getAffineDimExpr(loop, context);
    atLeastZero(position);
    const auto &padded = loops[loop];
    if (!padded) {
      if (!ShapedType::isDynamic(extents[loop]))
        atLeastZero(extents[loop] - 1 - position);
      continue;
    }
    AffineExpr padding = padded->extent - padded->real;
    if (loop == paddedLoop) {
      atLeastZero(position - padded->hole);
      atLeastZero(padded->hole + padding - 1 - position);
      continue;
    }
    atLeastZero(padded->extent - 1 - position);
    if (padded->endsInPadding())
      atLeastZero(padded->real - 1 - position);
    else if (padded->beginsWithPadding())
      atLeastZero(position - padding);
  }
  atLeastZero(expr);
  return understood && system.isEmpty();
}

TypedAttr PaddedBody::compare(arith::CmpIOp compare) {
  AffineExpr a = positionOf(compare.getLhs()), b = positionOf(compare.getRhs());
  if (!a || !b)
    return {};
  // The predicate as "this is at least 0".
  AffineExpr holds;
  bool isUnsigned = false;
  switch (compare.getPredicate()) {
  case arith::CmpIPredicate::ult:
    isUnsigned = true;
    [[fallthrough]];
  case arith::CmpIPredicate::slt:
    holds = b - a - 1;
    break;
  case arith::CmpIPredicate::ule:
    isUnsigned = true;
    [[fallthrough]];
  case arith::CmpIPredicate::sle:
    holds = b - a;
    break;
  case arith::CmpIPredicate::ugt:
    isUnsigned = true;
    [[fallthrough]];
  case arith::CmpIPredicate::sgt:
    holds = a - b - 1;
    break;
  case arith::CmpIPredicate::uge:
    isUnsigned = true;
    [[fallthrough]];
  case arith::CmpIPredicate::sge:
    holds = a - b;
    break;
  default:
    return {};
  }
  // In padding in front, positions are below zero, which is large unsigned.
  if (isUnsigned && !(never(-a - 1) && never(-b - 1)))
    return {};
  Builder builder(op->getContext());
  if (never(holds))
    return builder.getBoolAttr(false);
  if (never(-holds - 1))
    return builder.getBoolAttr(true);
  return {};
}

TypedAttr PaddedBody::valueOf(Value value) {
  if (auto it = known.find(value); it != known.end())
    return it->second;
  TypedAttr result;
  Operation *def = value.getDefiningOp();
  if (auto arg = dyn_cast<BlockArgument>(value)) {
    if (arg.getOwner() == op.getBlock())
      result = argument(arg);
  } else if (def->getBlock() != op.getBlock()) {
    matchPattern(value, m_Constant(&result));
  } else if (auto cmp = dyn_cast<arith::CmpIOp>(def);
             cmp && positionOf(cmp.getLhs()) && positionOf(cmp.getRhs())) {
    result = compare(cmp);
  } else if (auto select = dyn_cast<arith::SelectOp>(def)) {
    if (auto condition =
            dyn_cast_or_null<IntegerAttr>(valueOf(select.getCondition())))
      result = valueOf(condition.getValue().isZero() ? select.getFalseValue()
                                                     : select.getTrueValue());
    else if (TypedAttr a = valueOf(select.getTrueValue());
             a && a == valueOf(select.getFalseValue()))
      result = a;
  } else if (def->getNumRegions() == 0 && def->getNumResults() == 1) {
    SmallVector<Attribute> operands;
    for (Value operand : def->getOperands())
      operands.push_back(valueOf(operand));
    SmallVector<OpFoldResult> folded;
    // Folded with what is known; null operands are not.
    if (llvm::all_of(operands, [](Attribute a) { return bool(a); }) &&
        succeeded(def->fold(operands, folded)) && folded.size() == 1)
      if (auto attr = dyn_cast<Attribute>(folded[0]))
        result = dyn_cast<TypedAttr>(attr);
  }
  return known[value] = result;
}

} // namespace npu
