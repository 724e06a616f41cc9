// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception

#include "CausalBody.h"
#include "RowMaximum.h"

#include "mlir/Dialect/Math/IR/Math.h"
#include "mlir/IR/Matchers.h"
#include "mlir/Interfaces/SideEffectInterfaces.h"

#include <functional>

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

/// Sums and products of such stay finite, if they do not overflow.
bool isFinite(const BehindRow &value) {
  std::optional<APFloat> number = floatOf(value);
  return value.kind != BehindRow::Differs &&
         value.kind != BehindRow::NegativeInfinity &&
         !(number && !number->isFinite());
}

TypedAttr folded(Operation *op, ArrayRef<BehindRow> operands) {
  // Casts of tensors would give a number of tensor type.
  if (isa<CastOpInterface>(op) && isa<ShapedType>(op->getResult(0).getType()))
    return {};
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
      !operands[1].differs())
    return BehindRow{
        isZero(operands[0]) ? BehindRow::Zero : BehindRow::ZeroOfAnySign, {}};
  if (!isa<arith::MulFOp>(op))
    return std::nullopt;
  for (auto [zero, other] : {std::pair(operands[0], operands[1]),
                             std::pair(operands[1], operands[0])}) {
    if (!isSomeZero(zero))
      continue;
    if (isZero(zero) && !other.differs())
      return BehindRow{BehindRow::Zero, {}};
    if (isSomeZero(other) || !other.differs())
      return BehindRow{BehindRow::ZeroOfAnySign, {}};
    if (mayAssume && other.kind == BehindRow::Finite) {
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
        if (!operands[1 - i].differs())
          return infinity;
        if (mayAssume && isFinite(operands[1 - i])) {
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

/// What differs stays finite here, where it is.
bool staysFinite(Operation *op, ArrayRef<BehindRow> operands) {
  if (isa<arith::SIToFPOp, arith::UIToFPOp>(op) ||
      getElementTypeOrSelf(op->getResult(0).getType()).isIntOrIndex())
    return true;
  if (isa<arith::DivFOp>(op)) {
    std::optional<APFloat> by = floatOf(operands[1]);
    return isFinite(operands[0]) && by && !by->isNaN() && !by->isZero();
  }
  if (isa<arith::SelectOp>(op))
    operands = operands.drop_front();
  return isa<arith::AddFOp, arith::SubFOp, arith::MulFOp, arith::NegFOp,
             arith::ExtFOp, arith::TruncFOp, arith::MaximumFOp,
             arith::MinimumFOp, arith::MaxNumFOp, arith::MinNumFOp,
             arith::SelectOp, math::FmaOp, math::AbsFOp, math::FloorOp,
             math::CeilOp, math::SinOp, math::CosOp, math::TanhOp, math::ErfOp>(
             op) &&
         llvm::all_of(operands, isFinite);
}

} // namespace

bool mayTrap(Operation *op) {
  return isa<tensor::ExtractOp>(op) || !isSpeculatable(op);
}

BehindRow computedFrom(Operation *op, ArrayRef<BehindRow> operands,
                       bool mayAssume, bool &assumed) {
  if (TypedAttr constant = folded(op, operands))
    return {BehindRow::Same, constant};
  if (auto select = dyn_cast<arith::SelectOp>(op)) {
    if (auto condition = dyn_cast_or_null<IntegerAttr>(operands[0].constant))
      return condition.getValue().isZero() ? operands[2] : operands[1];
    if (operands[1].kind == operands[2].kind && !operands[0].differs())
      return {operands[1].kind, {}};
  }
  if (auto zero = zeroFrom(op, operands, mayAssume, assumed))
    return *zero;
  if (auto infinity = infinityFrom(op, operands, mayAssume, assumed))
    return *infinity;
  if (isa<math::ExpOp, math::Exp2Op>(op) && isNegativeInfinity(operands[0]))
    return {BehindRow::Zero, {}};
  if (llvm::none_of(operands, std::mem_fn(&BehindRow::differs)))
    return {};
  return {staysFinite(op, operands) ? BehindRow::Finite : BehindRow::Differs,
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
  if (behindRow && loops.row)
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
  BehindRow here = analysis.of(value).behind;
  if (here.kind == BehindRow::Finite || here.kind == BehindRow::Differs)
    (void)differs("row i reads entries of operand #" +
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
  // What is below zero is large unsigned, and both may be so in one run alone.
  bool comparesAlike = op.getPredicate() < arith::CmpIPredicate::ult ||
                       (facts.never(-a - 1) && facts.never(-b - 1)) ||
                       (analysis.isSame(a, loops.row, loops.last) &&
                        analysis.isSame(b, loops.row, loops.last));
  if (!comparesAlike)
    return differs("an unsigned comparison takes what is counted from the "
                   "chunk's first row, and may be below zero, for a large "
                   "number");
  if (auto outcome = facts.compare(op.getPredicate(), a, b))
    return {BehindRow::Same, Builder(op.getContext()).getBoolAttr(*outcome)};
  return {};
}

/// A sum that does not begin with -0.0 never is -0.0 and so does not care for
/// the sign of zeros that are added, if it is passed on as it is.
bool CausalBody::addsToZero(Operation *def) {
  if (!isa<arith::AddFOp>(def) || op.getNumReductionLoops() == 0)
    return false;
  for (unsigned i = 0; i < 2; ++i) {
    auto argument = dyn_cast<BlockArgument>(def->getOperand(i));
    if (!argument || argument.getOwner() != op.getBlock() ||
        !op.isDpsInit(op.getMatchingOpOperand(argument)) ||
        valueOf(def->getOperand(1 - i)).kind != BehindRow::ZeroOfAnySign)
      continue;
    OpOperand *init = op.getMatchingOpOperand(argument);
    auto begin = dyn_cast_or_null<FloatAttr>(splatOf(init->get()));
    unsigned number = op.getTiedOpResult(init).getResultNumber();
    return begin && !begin.getValue().isNegZero() &&
           op.getBlock()->getTerminator()->getOperand(number) ==
               def->getResult(0);
  }
  return false;
}

Operation *CausalBody::traps() {
  for (Operation &each : op.getBlock()->without_terminator())
    if (mayTrap(&each) && llvm::any_of(each.getOperands(), [&](Value operand) {
          return valueOf(operand).differs();
        }))
      return &each;
  return nullptr;
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
  if (def->getNumRegions() != 0 || def->getNumResults() != 1 ||
      !isMemoryEffectFree(def))
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
  bool fromZeros = llvm::all_of(operands, [](const BehindRow &operand) {
    return !operand.differs() || operand.kind == BehindRow::ZeroOfAnySign;
  });
  if (fromZeros &&
      (result.kind == BehindRow::Finite || result.kind == BehindRow::Differs))
    reason = "weights of 0 give zeros of either sign, and '" +
             def->getName().getStringRef().str() +
             "' may give another result for each";
  return result;
}

} // namespace npu
