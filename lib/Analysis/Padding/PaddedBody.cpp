// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception

#include "PaddedBody.h"
#include "npu/Analysis/Body/RowMaximum.h"
#include "npu/Interfaces/HarmlessOperands.h"
#include "npu/Interfaces/OperandPadding.h"

#include "mlir/IR/Matchers.h"

#include <limits>

using namespace mlir;

namespace npu {

PairFact toPairFact(const PaddingContent &content, Type type) {
  PairFact real = PairFact::anything(type);
  FloatClasses number;
  switch (content.kind) {
  case PaddingContent::Anything:
    return real;
  case PaddingContent::Constant:
    return PairFact::sides(PairFact::constant(content.constant), real);
  case PaddingContent::NegativeInfinity:
    number = FloatClass::NegativeInfinity;
    break;
  case PaddingContent::Zero:
    number = zeros;
    break;
  }
  return PairFact::sides(PairFact::same(type, number), real)
      .join(PairFact::same(type, FloatClass::NaN));
}

PaddingContent toContent(const PairFact &fact) {
  if (TypedAttr constant = fact.leftConstant())
    return constant;
  auto type = dyn_cast<FloatType>(fact.getType());
  if (!type)
    return {};
  FloatClasses number = fact.leftClasses().without(FloatClass::NaN);
  // If a NaN may stand beside a real entry that is no NaN, nothing is known.
  for (unsigned real = 0; real < numFloatClasses; ++real)
    if (FloatClass(real) != FloatClass::NaN &&
        fact.mayBe(FloatClass::NaN, FloatClass(real)))
      return {};
  bool mayBeNaN = fact.leftClasses().has(FloatClass::NaN);
  if (number == FloatClass::NegativeInfinity)
    return mayBeNaN ? PaddingContent(PaddingContent::NegativeInfinity)
                    : PaddingContent(TypedAttr(FloatAttr::get(
                          type, APFloat::getInf(type.getFloatSemantics(),
                                                /*Negative=*/true))));
  if (!number.isEmpty() && number.isSubsetOf(zeros))
    return PaddingContent::Zero;
  return {};
}

PaddedBody::PaddedBody(const PaddingAnalysis &analysis, linalg::LinalgOp op,
                       const PaddingState &loops, unsigned paddedLoop)
    : analysis(analysis), op(op), loops(loops), paddedLoop(paddedLoop),
      evaluator(op, *this) {
  limits.symbols = {static_cast<double>(analysis.getPrompt().maxLength)};
  for (auto [padded, extent] : llvm::zip(loops, op.getStaticLoopRanges())) {
    if (padded)
      limits.loops.push_back(static_cast<double>(padded->extent));
    else
      limits.loops.push_back(ShapedType::isDynamic(extent)
                                 ? std::numeric_limits<double>::infinity()
                                 : static_cast<double>(extent));
  }
}

const PositionFacts &PaddedBody::positionFacts(bool inPadding) {
  std::optional<PositionFacts> &facts =
      inPadding ? factsInPadding : factsOnReal;
  if (!facts)
    facts = factsWhere(inPadding);
  return *facts;
}

PositionFacts PaddedBody::factsWhere(bool inPadding) {
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
    facts.atLeastZero(padded->extent - 1 - position);
    if (inPadding && loop == paddedLoop) {
      facts.atLeastZero(position - padded->hole);
      facts.atLeastZero(padded->hole + padding - 1 - position);
    } else if (padded->endsInPadding()) {
      facts.atLeastZero(padded->real - 1 - position);
    } else if (padded->beginsWithPadding()) {
      facts.atLeastZero(position - padding);
    }
  }
  return facts;
}

bool PaddedBody::hasRealEntries() {
  return positionFacts(/*inPadding=*/true).never(-loops[paddedLoop]->real);
}

/// The content of the padding that `operand` has along the padded loop, as the
/// padded operation reads it.
PaddingContent PaddedBody::contentRead(OpOperand &operand) {
  Value value = operand.get();
  AffineMap map = op.getMatchingIndexingMap(&operand);
  PaddingState given = analysis.of(value);
  given.resize(map.getNumResults());
  PaddingState wanted = operandPadding(given, map, loops);
  std::optional<unsigned> dimInPadding;
  for (auto [dim, expr] : llvm::enumerate(map.getResults())) {
    bool follows = expr.isFunctionOfDim(paddedLoop);
    auto loop = dyn_cast<AffineDimExpr>(expr);
    // Contents are known for one dimension at a time. The operand is read in
    // two padded dimensions, or at a window, which may reach into other
    // padding.
    if (follows && (!loop || dimInPadding))
      return {};
    if (follows)
      dimInPadding = dim;
    // A window over another loop may reach into other padding.
    if (!loop && given[dim])
      return {};
  }
  // An operand whose padding stands elsewhere has its real part put into
  // padding of unknown content.
  if (!dimInPadding || !sameEntries(given, wanted) || !given[*dimInPadding])
    return {};
  return given[*dimInPadding]->content;
}

PairFact PaddedBody::argument(BlockArgument argument) {
  OpOperand *operand = op.getMatchingOpOperand(argument);
  Value value = operand->get();
  Type type = argument.getType();
  if (!isa<TensorType>(value.getType())) {
    TypedAttr constant;
    if (matchPattern(value, m_Constant(&constant)))
      return PairFact::constant(constant);
    return PairFact::same(type);
  }
  // The accumulated value follows from other positions, too.
  if (op.isDpsInit(operand) && op.getNumReductionLoops() != 0)
    return PairFact::anything(type);
  if (TypedAttr everywhere = splatOf(value))
    return PairFact::constant(everywhere);
  // An operand that does not depend on the padded loop gives the same real
  // entry on both sides.
  AffineMap map = op.getMatchingIndexingMap(operand);
  bool readsPadding = map.isFunctionOfDim(paddedLoop);
  for (auto [dim, expr] : llvm::enumerate(map.getResults()))
    readsPadding |= !isa<AffineDimExpr>(expr) && !expr.isSymbolicOrConstant();
  if (!readsPadding)
    return PairFact::same(type);
  return toPairFact(contentRead(*operand), type);
}

PairFact PaddedBody::outside(Value value) {
  // The value is a scalar of the function, or a tensor that is read by
  // position; of the tensor, padding may be read in one execution alone.
  bool padded =
      isa<TensorType>(value.getType()) && isPadded(analysis.of(value));
  return padded ? PairFact::anything(value.getType())
                : PairFact::same(value.getType());
}

AffineExpr PaddedBody::positionOf(Value value) {
  if (!value.getType().isIntOrIndex())
    return {};
  if (AffineExpr outside = analysis.exprOf(value))
    return outside;
  Operation *def = value.getDefiningOp();
  if (!def || !op->isProperAncestor(def))
    return {};
  if (auto index = dyn_cast<linalg::IndexOp>(def)) {
    unsigned loop = index.getDim();
    AffineExpr position = getAffineDimExpr(loop, op->getContext());
    const auto &padded = loops[loop];
    if (!padded || padded->endsInPadding())
      return position;
    // In the original function, positions count real entries alone.
    return padded->beginsWithPadding()
               ? position - (padded->extent - padded->real)
               : AffineExpr();
  }
  return indexExprOf(def, limits, [&](Value each) { return positionOf(each); });
}

std::optional<PairFact> PaddedBody::position(Value value) {
  Type type = value.getType();
  if (auto index = value.getDefiningOp<linalg::IndexOp>();
      index && !positionOf(value))
    return index.getDim() == paddedLoop ? PairFact::anything(type)
                                        : PairFact::same(type);
  AffineExpr expr = positionOf(value);
  // Comparisons give an i1 too, but are answered more exactly elsewhere.
  if (!expr || type.isInteger(1))
    return std::nullopt;
  return expr.isFunctionOfDim(paddedLoop) ? PairFact::anything(type)
                                          : PairFact::same(type);
}

std::optional<PairFact> PaddedBody::comparison(arith::CmpIOp compare) {
  AffineExpr a = positionOf(compare.getLhs()), b = positionOf(compare.getRhs());
  if (!a || !b)
    return std::nullopt;
  Type type = compare.getType();
  bool same = !a.isFunctionOfDim(paddedLoop) && !b.isFunctionOfDim(paddedLoop);
  PairFact fact = same ? PairFact::same(type) : PairFact::anything(type);
  auto known = [&](bool inPadding) -> std::optional<PairFact> {
    std::optional<bool> outcome =
        positionFacts(inPadding).compare(compare.getPredicate(), a, b);
    if (!outcome)
      return std::nullopt;
    return PairFact::constant(Builder(op->getContext()).getBoolAttr(*outcome));
  };
  if (auto left = known(/*inPadding=*/true))
    fact = PairFact::sides(*left, same ? *left : fact);
  if (auto right = known(/*inPadding=*/false))
    fact = PairFact::sides(same ? *right : fact, *right);
  return fact;
}

PairFact PaddedBody::operand(OpOperand &operand, const PairFact &asWritten) {
  std::optional<int64_t> harmless = harmlessOperand(operand);
  if (!harmless)
    return asWritten;
  TypedAttr instead = IntegerAttr::get(asWritten.getType(), *harmless);
  return PairFact::sides(PairFact::constant(instead), asWritten);
}

TransferOptions PaddedBody::optionsOf(Operation *def) {
  TransferOptions options;
  auto sub = dyn_cast<arith::SubFOp>(def);
  if (!sub || !subtractedLargest(sub, op, paddedLoop))
    return options;
  // The content of the padding must not be above the largest real entry either.
  auto atMost = valueOf(sub.getLhs()).leftClasses();
  options.subtractsLargest =
      atMost.isSubsetOf({FloatClass::NegativeInfinity, FloatClass::NaN});
  return options;
}

} // namespace npu
