// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception

#include "PaddedBody.h"
#include "RowMaximum.h"

#include "mlir/Dialect/Math/IR/Math.h"
#include "mlir/IR/Matchers.h"

using namespace mlir;

namespace npu {

PaddedBody::PaddedBody(const PaddingAnalysis &analysis, linalg::LinalgOp op,
                       const PaddingState &loops, unsigned paddedLoop)
    : analysis(analysis), op(op), loops(loops), paddedLoop(paddedLoop) {}

PaddingContent PaddedBody::yielded(unsigned number) {
  return valueOf(op.getBlock()->getTerminator()->getOperand(number));
}

PaddingContent PaddedBody::argument(BlockArgument argument) {
  OpOperand *operand = op.getMatchingOpOperand(argument);
  Value value = operand->get();
  if (!isa<TensorType>(value.getType())) {
    TypedAttr constant;
    matchPattern(value, m_Constant(&constant));
    return constant;
  }
  // A constant everywhere, or in the padding that the loop stands in.
  if (TypedAttr everywhere = splatOf(value))
    return everywhere;
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

/// What is subtracted is the largest real entry of the row that it is
/// subtracted from.
bool PaddedBody::isLessThanLargest(arith::SubFOp sub) {
  auto entry = dyn_cast<BlockArgument>(sub.getLhs());
  auto largest = dyn_cast<BlockArgument>(sub.getRhs());
  auto isInput = [&](BlockArgument argument) {
    return argument && argument.getOwner() == op.getBlock() &&
           !op.isDpsInit(op.getMatchingOpOperand(argument)) &&
           isa<TensorType>(op.getMatchingOpOperand(argument)->get().getType());
  };
  return isInput(entry) && isInput(largest) &&
         isLargestAlong(*op.getMatchingOpOperand(largest),
                        *op.getMatchingOpOperand(entry), op, paddedLoop);
}

/// Operations on what is not quite a constant. Each keeps what the kinds
/// promise: a NaN here has one beside it among the real entries.
PaddingContent PaddedBody::computedFrom(Operation *def,
                                        ArrayRef<PaddingContent> operands) {
  auto isNegativeInfinity = [](const PaddingContent &content) {
    auto number = dyn_cast_or_null<FloatAttr>(content.constant);
    return number && number.getValue().isInfinity() &&
           number.getValue().isNegative();
  };
  // -inf minus the largest: a NaN where that is a NaN or -inf; then all real
  // entries are too, and so what they give.
  if (auto sub = dyn_cast<arith::SubFOp>(def);
      sub && isNegativeInfinity(operands[0]) && isLessThanLargest(sub))
    return PaddingContent::NegativeInfinity;
  PaddingContent::Kind kind =
      operands.empty() ? PaddingContent::Anything : operands[0].kind;
  if (kind != PaddingContent::NegativeInfinity && kind != PaddingContent::Zero)
    return {};
  if (isa<arith::ExtFOp, arith::TruncFOp>(def))
    return kind;
  if (isa<math::ExpOp, math::Exp2Op>(def) &&
      kind == PaddingContent::NegativeInfinity)
    return PaddingContent::Zero;
  if (isa<arith::MulFOp>(def)) {
    auto factor = dyn_cast_or_null<FloatAttr>(operands[1].constant);
    if (factor && factor.getValue().isFiniteNonZero() &&
        !factor.getValue().isNegative())
      return kind;
  }
  return {};
}

PaddingContent PaddedBody::valueOf(Value value) {
  if (auto it = known.find(value); it != known.end())
    return it->second;
  PaddingContent result = compute(value);
  known[value] = result;
  return result;
}

PaddingContent PaddedBody::compute(Value value) {
  Operation *def = value.getDefiningOp();
  if (auto arg = dyn_cast<BlockArgument>(value))
    return arg.getOwner() == op.getBlock() ? argument(arg) : PaddingContent();
  if (def->getBlock() != op.getBlock()) {
    TypedAttr constant;
    matchPattern(value, m_Constant(&constant));
    return constant;
  }
  if (auto cmp = dyn_cast<arith::CmpIOp>(def);
      cmp && positionOf(cmp.getLhs()) && positionOf(cmp.getRhs()))
    return compare(cmp);
  if (auto select = dyn_cast<arith::SelectOp>(def)) {
    if (auto condition = dyn_cast_or_null<IntegerAttr>(
            valueOf(select.getCondition()).constant))
      return valueOf(condition.getValue().isZero() ? select.getFalseValue()
                                                   : select.getTrueValue());
    PaddingContent a = valueOf(select.getTrueValue());
    bool same = a.kind == PaddingContent::Constant &&
                a == valueOf(select.getFalseValue());
    return same ? a : PaddingContent();
  }
  if (def->getNumRegions() != 0 || def->getNumResults() != 1)
    return {};
  SmallVector<PaddingContent> contents;
  SmallVector<Attribute> constants;
  for (Value operand : def->getOperands()) {
    contents.push_back(valueOf(operand));
    constants.push_back(contents.back().constant);
  }
  SmallVector<OpFoldResult> folded;
  // Folded with what is known; null operands are not.
  if (!llvm::is_contained(constants, Attribute()) &&
      succeeded(def->fold(constants, folded)) && folded.size() == 1)
    if (auto attr = dyn_cast<Attribute>(folded[0]))
      return dyn_cast<TypedAttr>(attr);
  return computedFrom(def, contents);
}

} // namespace npu
