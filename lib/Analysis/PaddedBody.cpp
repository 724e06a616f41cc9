// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception

#include "PaddedBody.h"

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
  return indexExprOf(def, [&](Value each) { return positionOf(each); });
}

PositionFacts PaddedBody::positions() {
  unsigned numLoops = loops.size();
  PositionFacts facts(numLoops, /*numSymbols=*/1);
  MLIRContext *context = op->getContext();
  AffineExpr length = getAffineSymbolExpr(0, context);
  const Prompt &prompt = analysis.getPrompt();
  if (prompt.length) {
    facts.atLeastZero(length - *prompt.length);
    facts.atLeastZero(*prompt.length - length);
  } else {
    facts.atLeastZero(length - 1);
    facts.atLeastZero(prompt.maxLength - length);
  }
  SmallVector<int64_t> extents = op.getStaticLoopRanges();
  for (unsigned loop = 0; loop < numLoops; ++loop) {
    AffineExpr position = getAffineDimExpr(loop, context);
    facts.atLeastZero(position);
    const auto &padded = loops[loop];
    if (!padded) {
      if (!ShapedType::isDynamic(extents[loop]))
        facts.atLeastZero(extents[loop] - 1 - position);
      continue;
    }
    AffineExpr padding = padded->extent - padded->real;
    if (loop == paddedLoop) {
      facts.atLeastZero(position - padded->hole);
      facts.atLeastZero(padded->hole + padding - 1 - position);
      continue;
    }
    facts.atLeastZero(padded->extent - 1 - position);
    if (padded->endsInPadding())
      facts.atLeastZero(padded->real - 1 - position);
    else if (padded->beginsWithPadding())
      facts.atLeastZero(position - padding);
  }
  return facts;
}

TypedAttr PaddedBody::compare(arith::CmpIOp compare) {
  AffineExpr a = positionOf(compare.getLhs()), b = positionOf(compare.getRhs());
  std::optional<bool> outcome;
  if (a && b)
    outcome = positions().compare(compare.getPredicate(), a, b);
  return outcome ? Builder(op->getContext()).getBoolAttr(*outcome)
                 : TypedAttr();
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
