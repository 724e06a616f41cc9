// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// The padding of structured operations by their indexing maps, and the decision
// which of their reductions have to skip padding.

#include "npu/Analysis/Body/RowMaximum.h"

#include "../Body/BodyEvaluator.h"
#include "../Positions/PositionFacts.h"
#include "npu/Analysis/Choices/SplitReduction.h"
#include "npu/Analysis/Padding/PaddingAnalysis.h"
#include "npu/Interfaces/HarmlessOperands.h"
#include "npu/Interfaces/LinearForm.h"
#include "npu/Interfaces/OperandPadding.h"
#include "npu/Interfaces/PaddingOpInterface.h"

#include "mlir/Dialect/Arith/IR/Arith.h"
#include "mlir/Dialect/Utils/StructuredOpsUtils.h"
#include "mlir/IR/Matchers.h"
#include "llvm/ADT/SetVector.h"

#include <limits>

using namespace mlir;

namespace npu {
namespace {

/// The question that compares two positions of `paddedLoop`: one in padding on
/// the left, and any real one on the right. The other loops are at the same
/// real positions on both sides.
class PaddedBody final : BodyQuestion {
public:
  PaddedBody(const PaddingAnalysis &analysis, mlir::linalg::LinalgOp op,
             const PaddingState &loops, unsigned paddedLoop);

  PairFact valueOf(mlir::Value value) { return evaluator.valueOf(value); }
  PairFact yielded(unsigned number) { return evaluator.yielded(number); }
  /// Whether the loop has a real entry at every legal prompt length.
  bool hasRealEntries();

private:
  PairFact argument(mlir::BlockArgument argument) override;
  PairFact outside(mlir::Value value) override;
  std::optional<PairFact> position(mlir::Value value) override;
  std::optional<PairFact> comparison(mlir::arith::CmpIOp compare) override;
  PairFact operand(mlir::OpOperand &operand,
                   const PairFact &asWritten) override;
  TransferOptions optionsOf(mlir::Operation *op) override;

  mlir::AffineExpr positionOf(mlir::Value value);
  /// What is known of the positions in the execution that stands in padding, or
  /// in the one on real entries. Worked out when the first comparison asks:
  /// most regions compare nothing.
  const PositionFacts &positionFacts(bool inPadding);
  PositionFacts factsWhere(bool inPadding);
  PaddingContent contentRead(mlir::OpOperand &operand);

  const PaddingAnalysis &analysis;
  mlir::linalg::LinalgOp op;
  const PaddingState &loops;
  unsigned paddedLoop;
  std::optional<PositionFacts> factsInPadding, factsOnReal;
  PositionLimits limits;
  BodyEvaluator evaluator;
};

/// The fact of an entry of padding (left) and any real entry of its row
/// (right).
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

/// The content of padding that a fact says, as far as PaddingContent can
/// express it.
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
  limits.symbols.assign(analysis.getPrompt().count(),
                        static_cast<double>(analysis.getPrompt().maxLength));
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
  const Prompt &prompt = analysis.getPrompt();
  PositionFacts facts(numLoops, prompt.count());
  MLIRContext *context = op->getContext();
  for (unsigned number = 0; number < prompt.count(); ++number) {
    AffineExpr length = getAffineSymbolExpr(number, context);
    if (!prompt.length) {
      facts.atLeastZero(length - prompt.minLength());
      facts.atLeastZero(prompt.maxLength - length);
      continue;
    }

    facts.atLeastZero(length - *prompt.length);
    facts.atLeastZero(*prompt.length - length);
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

/// The padding of the outputs of a window over a padded dimension.
std::optional<PaddedDim> outputsOf(const PaddedDim &dim,
                                   const WindowForm &window, int64_t taps) {
  if (window.offset != 0 || (!dim.endsInPadding() && !dim.beginsWithPadding()))
    return std::nullopt;
  int64_t span = (taps - 1) * window.dilation + 1;
  auto outputs = [&](AffineExpr extent) {
    return simplified((extent - span).floorDiv(window.stride) + 1);
  };
  PaddedDim result = dim;
  result.real = outputs(dim.real);
  result.extent = (dim.extent - span) / window.stride + 1;
  result.content = {};
  if (dim.endsInPadding()) {
    result.hole = result.real;
    return result;
  }
  // With the padding in front, windows are at the same real entries only if the
  // padding is a whole number of steps.
  AffineExpr rest = simplified((dim.extent - dim.real) % window.stride);
  auto number = dyn_cast<AffineConstantExpr>(rest);
  if (!number || number.getValue() != 0)
    return std::nullopt;
  return result;
}

/// A loop, and its padding.
struct PaddedLoop {
  unsigned loop;
  PaddedDim dim;
};

/// How the operands of a structured operation are read: which loop each of
/// their dimensions follows.
class OperandReads {
public:
  explicit OperandReads(linalg::LinalgOp op)
      : extents(op.getStaticLoopRanges()), maps(op.getIndexingMapsArray()) {
    op.getReductionDims(reductions);
  }

  AffineMap mapOf(OpOperand &operand) const {
    return maps[operand.getOperandNumber()];
  }

  /// The loop that reads a padded dimension by `expr`, and the padding that it
  /// has from there: that of the dimension, or of the outputs of a window.
  /// Nothing where real entries of a loop would not be known to stay apart from
  /// padding.
  std::optional<PaddedLoop> loopOf(const PaddedDim &padded,
                                   AffineExpr expr) const {
    if (auto loop = dyn_cast<AffineDimExpr>(expr))
      return PaddedLoop{loop.getPosition(), padded};
    std::optional<WindowForm> window = asWindow(expr, reductions);
    if (!window || ShapedType::isDynamic(extents[window->tap]))
      return std::nullopt;
    std::optional<PaddedDim> outputs =
        outputsOf(padded, *window, extents[window->tap]);
    if (!outputs)
      return std::nullopt;
    return PaddedLoop{window->output, *outputs};
  }

  /// Whether `expr`, an index into a dimension that is padded as `state` says,
  /// or not at all, mixes real and padded positions.
  bool crossesPadding(AffineExpr expr, const std::optional<PaddedDim> &state,
                      const PaddingState &loops) const {
    if (isa<AffineDimExpr>(expr))
      return false;
    for (unsigned loop = 0; loop < loops.size(); ++loop) {
      if (!loops[loop] || !expr.isFunctionOfDim(loop))
        continue;
      std::optional<PaddedLoop> read =
          state ? loopOf(*state, expr) : std::nullopt;
      if (!read || read->loop != loop || !read->dim.sameEntries(*loops[loop]))
        return true;
    }
    return false;
  }

private:
  SmallVector<int64_t> extents;
  SmallVector<AffineMap> maps;
  SmallVector<unsigned> reductions;
};

/// Operands that an operation reads at positions other than those of its loops,
/// and the first such dimension.
struct ReadElsewhere {
  llvm::SmallSetVector<unsigned, 4> operands;
  OpOperand *first = nullptr;
  unsigned firstDim = 0;

  void add(OpOperand &operand, unsigned dim) {
    operands.insert(operand.getOperandNumber());
    if (first)
      return;
    first = &operand;
    firstDim = dim;
  }
};

} // namespace

/// Gives the padding of operands to the loops that read them.
static MaybeRefused joinLoops(linalg::LinalgOp op, const OperandReads &reads,
                              const PaddingAnalysis &analysis,
                              PaddingState &loops, ReadElsewhere &elsewhere) {
  // What can be made again follows the loops that the data decide on.
  for (bool withData : {true, false})
    for (OpOperand &operand : op->getOpOperands()) {
      if (canBeMadeAgain(operand.get()) == withData)
        continue;
      for (auto [dim, padded] : llvm::enumerate(analysis.of(operand.get()))) {
        if (!padded)
          continue;
        std::optional<PaddedLoop> read =
            reads.loopOf(*padded, reads.mapOf(operand).getResult(dim));
        if (!read) {
          elsewhere.add(operand, dim);
          continue;
        }
        if (MaybeRefused conflict = joinLoop(op, read->loop, read->dim,
                                             operand.getOperandNumber(), loops))
          return conflict;
      }
    }
  for (OpOperand &operand : op->getOpOperands()) {
    PaddingState state = analysis.of(operand.get());
    AffineMap map = reads.mapOf(operand);
    state.resize(map.getNumResults());
    for (auto [dim, expr] : llvm::enumerate(map.getResults()))
      if (reads.crossesPadding(expr, state[dim], loops))
        elsewhere.add(operand, dim);
  }
  return std::nullopt;
}

LogicalResult PaddingAnalysis::visitStructured(linalg::LinalgOp op) {
  if (!op.hasPureTensorSemantics())
    return workOnRealPart(op, "it does not work on tensors alone");
  StructuredPadding padding;
  padding.loops.resize(op.getNumLoops());
  OperandReads reads(op);
  ReadElsewhere elsewhere;
  if (MaybeRefused why = joinLoops(op, reads, *this, padding.loops, elsewhere))
    return refuse(op, *why);
  if (OpOperand *operand = elsewhere.first) {
    Refusal why =
        refuseRead(operand->get(), elsewhere.firstDim,
                   reads.mapOf(*operand).getResult(elsewhere.firstDim));
    if (failed(readByEntry(op, elsewhere.operands.getArrayRef(), why)) ||
        isUnpadded(op))
      return success(isUnpadded(op));
  }
  for (OpOperand &operand : op->getOpOperands()) {
    PaddingState wanted =
        operandPadding(of(operand.get()), reads.mapOf(operand), padding.loops);
    if (MaybeRefused partly = refusePartly(operand.get(), wanted))
      return workOnRealPart(op, *partly);
  }
  decideMasks(op, padding);
  setStructuredResults(op, padding.loops);
  if (isPadded(padding.loops))
    structured[op] = std::move(padding);
  return success();
}

void PaddingAnalysis::setStructuredResults(linalg::LinalgOp op,
                                           const PaddingState &loops) {
  for (OpResult result : op->getResults()) {
    AffineMap map = op.getIndexingMapMatchingResult(result);
    // Without reductions, every entry is written once, by the yielded value. A
    // loop that reduces skips padding, and leaves the initial entries there.
    bool writesOnce = map.isPermutation() && op.getNumReductionLoops() == 0;
    PaddingState state;
    for (AffineExpr expr : map.getResults()) {
      auto loop = dyn_cast<AffineDimExpr>(expr);
      std::optional<PaddedDim> dim;
      if (loop)
        dim = loops[loop.getPosition()];
      if (dim)
        dim->content =
            writesOnce
                ? toContent(PaddedBody(*this, op, loops, loop.getPosition())
                                .yielded(result.getResultNumber()))
                : PaddingContent();
      state.push_back(dim);
    }
    setResult(result, std::move(state));
  }
}

/// Whether padded terms do not change the result: each is neutral, or a NaN
/// where all real terms are NaNs.
static bool isNeutral(linalg::LinalgOp op, const Reduction &reduction,
                      const PairFact &term,
                      llvm::function_ref<bool()> hasRealTerms) {
  if (TypedAttr constant = term.leftConstant();
      constant && !isa<FloatType>(term.getType()))
    return constant == reduction.neutral;
  auto type = dyn_cast<FloatType>(term.getType());
  if (!type)
    return false;
  FloatClasses padded = term.leftClasses();
  auto begin =
      dyn_cast_or_null<FloatAttr>(splatOf(op.getDpsInitOperand(0)->get()));
  bool largest = isa<arith::MaximumFOp, arith::MaxNumFOp>(reduction.combiner);
  FloatClasses outermost =
      largest ? FloatClass::NegativeInfinity : FloatClass::PositiveInfinity;
  // These combiners ignore NaNs. But where all terms are NaNs, the result is
  // the initial value, which may be a NaN.
  if (isa<arith::MaxNumFOp, arith::MinNumFOp>(reduction.combiner))
    return begin && !begin.getValue().isNaN() &&
           padded.isSubsetOf(outermost | FloatClass::NaN);
  bool besideNaNs = true;
  for (unsigned real = 0; real < numFloatClasses; ++real)
    besideNaNs &= FloatClass(real) == FloatClass::NaN ||
                  !term.mayBe(FloatClass::NaN, FloatClass(real));
  if (padded.has(FloatClass::NaN) && !(besideNaNs && hasRealTerms()))
    return false;
  padded = padded.without(FloatClass::NaN);
  if (isa<arith::MaximumFOp, arith::MinimumFOp>(reduction.combiner))
    return padded.isSubsetOf(outermost);
  if (!isa<arith::AddFOp>(reduction.combiner))
    return term.leftConstant() && term.leftConstant() == reduction.neutral;
  // A sum that does not begin with -0.0 is never -0.0, so that zeros of any
  // sign are neutral.
  return padded.isSubsetOf(FloatClass::NegativeZero) ||
         (padded.isSubsetOf(zeros) && begin && !begin.getValue().isNegZero());
}

void PaddingAnalysis::decideMasks(linalg::LinalgOp op,
                                  StructuredPadding &padding) {
  padding.masked.resize(op.getNumLoops());
  padding.proved.resize(op.getNumLoops());
  std::optional<Reduction> reduction = matchReduction(op);
  for (auto [loop, kind] : llvm::enumerate(op.getIteratorTypesArray())) {
    if (kind != utils::IteratorType::reduction || !padding.loops[loop] ||
        !padding.loops[loop]->hasPadding())
      continue;
    bool neutral = false;
    if (reduction) {
      Value accumulator = op.getRegionOutputArgs()[0];
      Value other = reduction->combiner->getOperand(0) == accumulator
                        ? reduction->combiner->getOperand(1)
                        : reduction->combiner->getOperand(0);
      PaddedBody body(*this, op, padding.loops, loop);
      neutral = isNeutral(op, *reduction, body.valueOf(other),
                          [&] { return body.hasRealEntries(); });
    }
    // A proof assumes that the other loops are at real positions: it holds for
    // one loop if the others skip their padding.
    bool proved = neutral && padding.proved.none();
    (proved ? padding.proved : padding.masked).set(loop);
  }
}

} // namespace npu
