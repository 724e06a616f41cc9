// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// The padding of structured operations by their indexing maps, and the decision
// which of their reductions have to skip padding.

#include "PaddedBody.h"
#include "npu/Analysis/Body/RowMaximum.h"
#include "npu/Analysis/Choices/SplitReduction.h"
#include "npu/Analysis/Padding/PaddingAnalysis.h"
#include "npu/Interfaces/LinearForm.h"
#include "npu/Interfaces/OperandPadding.h"
#include "npu/Interfaces/PaddingOpInterface.h"

#include "mlir/Dialect/Arith/IR/Arith.h"
#include "mlir/Dialect/Utils/StructuredOpsUtils.h"
#include "llvm/ADT/SetVector.h"

using namespace mlir;

namespace npu {
namespace {

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

  /// Whether `expr` reads a dimension that is padded as `state` says, or not at
  /// all, at other positions than those of the padded loops that are in it:
  /// across the border of the padding.
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
