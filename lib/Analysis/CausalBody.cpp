// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception

#include "CausalBody.h"
#include "RowMaximum.h"

#include "mlir/Dialect/Math/IR/Math.h"
#include "mlir/IR/Matchers.h"

using namespace mlir;

namespace npu {
namespace {

std::optional<APFloat> floatOf(const BehindRow &value) {
  auto constant = dyn_cast_or_null<FloatAttr>(value.constant);
  return constant ? std::optional(constant.getValue()) : std::nullopt;
}

bool isZero(const BehindRow &value) {
  std::optional<APFloat> number = floatOf(value);
  return value.kind == BehindRow::Zero || (number && number->isZero());
}

bool isNegativeInfinity(const BehindRow &value) {
  std::optional<APFloat> number = floatOf(value);
  return value.kind == BehindRow::NegativeInfinity ||
         (number && number->isInfinity() && number->isNegative());
}

/// 0 or NaN, of whatever sign.
bool isSomeZero(const BehindRow &value) {
  return isZero(value) || value.kind == BehindRow::ZeroOfAnySign;
}

bool differs(const BehindRow &value) {
  return value.kind == BehindRow::Differs ||
         value.kind == BehindRow::ZeroOfAnySign;
}

TypedAttr folded(Operation *op, ArrayRef<BehindRow> operands) {
  SmallVector<Attribute> constants;
  for (const BehindRow &operand : operands)
    constants.push_back(operand.constant);
  SmallVector<OpFoldResult> results;
  if (constants.empty() || llvm::is_contained(constants, Attribute()) ||
      failed(op->fold(constants, results)) || results.size() != 1)
    return {};
  if (auto attr = dyn_cast<Attribute>(results[0]))
    return dyn_cast<TypedAttr>(attr);
  // One of its operands.
  for (auto [operand, constant] : llvm::zip(op->getOperands(), operands))
    if (operand == cast<Value>(results[0]))
      return constant.constant;
  return {};
}

/// 0 times what is the same, divided by it, in another precision.
std::optional<BehindRow> zeroFrom(Operation *op, ArrayRef<BehindRow> operands,
                                  bool mayAssume, bool &assumed) {
  if (isa<arith::ExtFOp, arith::TruncFOp>(op) && isSomeZero(operands[0]))
    return BehindRow{
        isZero(operands[0]) ? BehindRow::Zero : BehindRow::ZeroOfAnySign, {}};
  if (isa<arith::DivFOp>(op) && isSomeZero(operands[0]) &&
      !differs(operands[1]))
    return BehindRow{
        isZero(operands[0]) ? BehindRow::Zero : BehindRow::ZeroOfAnySign, {}};
  if (!isa<arith::MulFOp>(op))
    return std::nullopt;
  for (auto [zero, other] : {std::pair(operands[0], operands[1]),
                             std::pair(operands[1], operands[0])}) {
    if (!isSomeZero(zero))
      continue;
    if (isZero(zero) && !differs(other))
      return BehindRow{BehindRow::Zero, {}};
    if (isSomeZero(other) || !differs(other))
      return BehindRow{BehindRow::ZeroOfAnySign, {}};
    if (mayAssume) {
      assumed = true;
      return BehindRow{BehindRow::ZeroOfAnySign, {}};
    }
  }
  return std::nullopt;
}

/// -inf plus or minus something, times something positive, in another
/// precision.
std::optional<BehindRow> infinityFrom(Operation *op,
                                      ArrayRef<BehindRow> operands,
                                      bool mayAssume, bool &assumed) {
  BehindRow infinity{BehindRow::NegativeInfinity, {}};
  if (isa<arith::ExtFOp, arith::TruncFOp>(op) &&
      isNegativeInfinity(operands[0]))
    return infinity;
  if (isa<arith::AddFOp, arith::SubFOp>(op))
    for (unsigned i = 0; i < (isa<arith::AddFOp>(op) ? 2 : 1); ++i)
      if (isNegativeInfinity(operands[i])) {
        if (!differs(operands[1 - i]))
          return infinity;
        if (mayAssume) {
          assumed = true;
          return infinity;
        }
      }
  if (isa<arith::MulFOp, arith::DivFOp>(op))
    for (unsigned i = 0; i < (isa<arith::MulFOp>(op) ? 2 : 1); ++i)
      if (auto factor = floatOf(operands[1 - i]);
          isNegativeInfinity(operands[i]) && factor && !factor->isNaN() &&
          !factor->isNegative() && !factor->isZero())
        return infinity;
  return std::nullopt;
}

} // namespace

BehindRow computedFrom(Operation *op, ArrayRef<BehindRow> operands,
                       bool mayAssume, bool &assumed) {
  if (TypedAttr constant = folded(op, operands))
    return {BehindRow::Same, constant};
  if (auto select = dyn_cast<arith::SelectOp>(op)) {
    if (auto condition = dyn_cast_or_null<IntegerAttr>(operands[0].constant))
      return condition.getValue().isZero() ? operands[2] : operands[1];
    if (operands[1].kind == operands[2].kind && !differs(operands[0]))
      return {operands[1].kind, {}};
  }
  if (auto zero = zeroFrom(op, operands, mayAssume, assumed))
    return *zero;
  if (auto infinity = infinityFrom(op, operands, mayAssume, assumed))
    return *infinity;
  if (isa<math::ExpOp, math::Exp2Op>(op) && isNegativeInfinity(operands[0]))
    return {BehindRow::Zero, {}};
  return {llvm::any_of(operands, differs) ? BehindRow::Differs
                                          : BehindRow::Same,
          {}};
}

CausalBody::CausalBody(const Causality &analysis, linalg::LinalgOp op,
                       const CausalLoops &loops, bool behindRow)
    : analysis(analysis), op(op), loops(loops), behindRow(behindRow),
      facts(op.getNumLoops(), /*numSymbols=*/2) {
  MLIRContext *context = op->getContext();
  AffineExpr offset = getAffineSymbolExpr(0, context);
  AffineExpr length = getAffineSymbolExpr(1, context);
  facts.atLeastZero(offset);
  facts.atLeastZero(length - 1);
  SmallVector<int64_t> extents = op.getStaticLoopRanges();
  for (unsigned loop = 0; loop < op.getNumLoops(); ++loop) {
    AffineExpr index = getAffineDimExpr(loop, context);
    facts.atLeastZero(index);
    if (loop == loops.row)
      facts.atLeastZero(length - 1 - index);
    else if (!ShapedType::isDynamic(extents[loop]))
      facts.atLeastZero(extents[loop] - 1 - index);
  }
  if (behindRow)
    facts.atLeastZero(getAffineDimExpr(*loops.position, context) -
                      getAffineDimExpr(*loops.row, context) - offset - 1);
}

BehindRow CausalBody::differs(const Twine &why) {
  if (reason.empty())
    reason = why.str();
  return {BehindRow::Differs, {}};
}

BehindRow CausalBody::argument(BlockArgument argument) {
  OpOperand *operand = op.getMatchingOpOperand(argument);
  Value value = operand->get();
  TypedAttr constant;
  if (!isa<TensorType>(value.getType())) {
    if (matchPattern(value, m_Constant(&constant)))
      return {BehindRow::Same, constant};
    return valueOf(value);
  }
  // An output's argument is what has been accumulated so far.
  if (!op.isDpsInit(operand))
    if (TypedAttr everywhere = splatOf(value))
      return {BehindRow::Same, everywhere};
  if (!behindRow)
    return {};
  BehindRow here = analysis.behindRow(value);
  if (here.kind == BehindRow::Differs)
    return differs("row i reads entries of operand #" +
                   Twine(operand->getOperandNumber()) +
                   " at positions behind row i, where nothing makes them "
                   "neutral");
  return here;
}

AffineExpr CausalBody::positionOf(Value value) {
  if (AffineExpr outside = analysis.exprOf(value))
    return outside;
  Operation *def = value.getDefiningOp();
  if (!def || def->getBlock() != op.getBlock())
    return {};
  if (auto index = dyn_cast<linalg::IndexOp>(def))
    return getAffineDimExpr(index.getDim(), op->getContext());
  return indexExprOf(def, [&](Value each) { return positionOf(each); });
}

BehindRow CausalBody::compare(arith::CmpIOp op) {
  AffineExpr a = positionOf(op.getLhs()), b = positionOf(op.getRhs());
  if (!analysis.isSame(a - b, loops.row, loops.last))
    return differs("a comparison counts rows without the offset, or with the "
                   "prompt's length: it comes out differently in every chunk");
  if (auto outcome = facts.compare(op.getPredicate(), a, b))
    return {BehindRow::Same, Builder(op.getContext()).getBoolAttr(*outcome)};
  return {};
}

/// A sum that begins with a zero which is not -0.0 never is -0.0 and so does
/// not care for the sign of zeros that are added.
bool CausalBody::addsToZero(Operation *def) {
  if (!isa<arith::AddFOp>(def) || op.getNumReductionLoops() == 0)
    return false;
  for (unsigned i = 0; i < 2; ++i) {
    auto argument = dyn_cast<BlockArgument>(def->getOperand(i));
    if (!argument || argument.getOwner() != op.getBlock() ||
        !op.isDpsInit(op.getMatchingOpOperand(argument)) ||
        valueOf(def->getOperand(1 - i)).kind != BehindRow::ZeroOfAnySign)
      continue;
    auto begin = dyn_cast_or_null<FloatAttr>(
        splatOf(op.getMatchingOpOperand(argument)->get()));
    return begin && !begin.getValue().isNegZero();
  }
  return false;
}

BehindRow CausalBody::valueOf(Value value) {
  if (auto it = known.find(value); it != known.end())
    return it->second;
  BehindRow result = compute(value);
  known[value] = result;
  return result;
}

BehindRow CausalBody::compute(Value value) {
  if (auto arg = dyn_cast<BlockArgument>(value);
      arg && arg.getOwner() == op.getBlock())
    return argument(arg);
  TypedAttr constant;
  if (matchPattern(value, m_Constant(&constant)))
    return {BehindRow::Same, constant};
  if (AffineExpr expr = positionOf(value)) {
    if (analysis.isSame(expr, loops.row, loops.last))
      return {};
    return differs("rows are counted without the offset, or the prompt's "
                   "length is used as a number: both differ in every chunk");
  }
  Operation *def = value.getDefiningOp();
  if (!def || def->getBlock() != op.getBlock()) {
    if (isa<TensorType>(value.getType())) {
      if (analysis.of(value).isIndependent() ||
          (loops.last && !analysis.of(value).row))
        return {};
      return differs("a tensor that follows from the prompt is read by "
                     "position in the region");
    }
    if (analysis.isSame(value, loops.last))
      return {};
    return differs("a number that follows from the offset or from the prompt's "
                   "length is used: both differ in every chunk");
  }
  if (auto cmp = dyn_cast<arith::CmpIOp>(def);
      cmp && positionOf(cmp.getLhs()) && positionOf(cmp.getRhs()))
    return compare(cmp);
  if (def->getNumRegions() != 0 || def->getNumResults() != 1)
    return differs("it is not known what '" + def->getName().getStringRef() +
                   "' in the region does");
  if (addsToZero(def))
    return {};
  SmallVector<BehindRow> operands;
  // The branch that is not taken need not be looked at.
  if (auto select = dyn_cast<arith::SelectOp>(def)) {
    BehindRow condition = valueOf(select.getCondition());
    if (auto taken = dyn_cast_or_null<IntegerAttr>(condition.constant))
      return valueOf(taken.getValue().isZero() ? select.getFalseValue()
                                               : select.getTrueValue());
  }
  for (Value operand : def->getOperands())
    operands.push_back(valueOf(operand));
  BehindRow result =
      computedFrom(def, operands, analysis.mayAssumeFinite(), assumed);
  if (result.kind == BehindRow::Differs &&
      llvm::none_of(operands, [](const BehindRow &operand) {
        return operand.kind == BehindRow::Differs;
      }))
    reason = "weights of 0 give zeros of either sign, and '" +
             def->getName().getStringRef().str() +
             "' may give another result for each";
  return result;
}

} // namespace npu
