// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// The padding of structured operations by their indexing maps, and the decision
// which of their reductions have to skip padding.

#include "../Body/RowMaximum.h"
#include "PaddedBody.h"
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

} // namespace

LogicalResult PaddingAnalysis::visitStructured(linalg::LinalgOp op) {
  if (!op.hasPureTensorSemantics())
    return workOnRealPart(op, "it does not work on tensors alone");
  StructuredPadding padding;
  padding.loops.resize(op.getNumLoops());
  SmallVector<AffineMap> maps = op.getIndexingMapsArray();
  SmallVector<unsigned> reductions;
  op.getReductionDims(reductions);
  auto tapsOf = [&](unsigned loop) { return op.getStaticLoopRanges()[loop]; };
  // Operands whose padded dimensions are read at positions other than those of
  // loops.
  llvm::SmallSetVector<unsigned, 4> elsewhere;
  MaybeRefused why;
  auto readElsewhere = [&](OpOperand &operand, unsigned dim) {
    elsewhere.insert(operand.getOperandNumber());
    if (!why)
      why = refuseRead(operand.get(), dim,
                       maps[operand.getOperandNumber()].getResult(dim));
  };

  auto join = [&](OpOperand &operand) -> LogicalResult {
    const PaddingState &state = of(operand.get());
    AffineMap map = maps[operand.getOperandNumber()];
    auto joins = [&](unsigned loop, const PaddedDim &dim) {
      MaybeRefused conflict =
          joinLoop(op, loop, dim, operand.getOperandNumber(), padding.loops);
      return conflict ? refuse(op, *conflict) : success();
    };
    for (auto [dim, padded] : llvm::enumerate(state)) {
      if (!padded)
        continue;
      AffineExpr expr = map.getResult(dim);
      if (auto loop = dyn_cast<AffineDimExpr>(expr)) {
        if (failed(joins(loop.getPosition(), *padded)))
          return failure();
        continue;
      }
      std::optional<WindowForm> window = asWindow(expr, reductions);
      std::optional<PaddedDim> outputs;
      if (window && !ShapedType::isDynamic(tapsOf(window->tap)))
        outputs = outputsOf(*padded, *window, tapsOf(window->tap));
      if (!outputs) {
        readElsewhere(operand, dim);
        continue;
      }
      if (failed(joins(window->output, *outputs)))
        return failure();
    }
    return success();
  };
  for (bool withData : {true, false})
    for (OpOperand &operand : op->getOpOperands())
      if (canBeMadeAgain(operand.get()) != withData && failed(join(operand)))
        return failure();

  // Other expressions of a padded loop would read across the border of the
  // padding.
  for (OpOperand &operand : op->getOpOperands()) {
    AffineMap map = maps[operand.getOperandNumber()];
    for (auto [dim, expr] : llvm::enumerate(map.getResults())) {
      if (isa<AffineDimExpr>(expr))
        continue;
      const PaddingState &state = of(operand.get());
      bool padded = dim < state.size() && state[dim];
      for (unsigned loop = 0; loop < padding.loops.size(); ++loop)
        if (padding.loops[loop] && expr.isFunctionOfDim(loop)) {
          std::optional<WindowForm> window = asWindow(expr, reductions);
          std::optional<PaddedDim> outputs;
          if (padded && window && window->output == loop &&
              !ShapedType::isDynamic(tapsOf(window->tap)))
            outputs = outputsOf(*state[dim], *window, tapsOf(window->tap));
          if (!outputs || !outputs->sameEntries(*padding.loops[loop]))
            readElsewhere(operand, dim);
        }
    }
  }
  if (why && (failed(readByEntry(op, elsewhere.getArrayRef(), *why)) ||
              isUnpadded(op)))
    return success(isUnpadded(op));
  for (OpOperand &operand : op->getOpOperands()) {
    PaddingState wanted = operandPadding(
        of(operand.get()), maps[operand.getOperandNumber()], padding.loops);
    if (MaybeRefused partly = refusePartly(operand.get(), wanted))
      return workOnRealPart(op, *partly);
  }
  decideMasks(op, padding);
  for (OpResult result : op->getResults()) {
    AffineMap map = op.getIndexingMapMatchingResult(result);
    PaddingState state;
    for (AffineExpr expr : map.getResults()) {
      auto loop = dyn_cast<AffineDimExpr>(expr);
      std::optional<PaddedDim> dim;
      if (loop)
        dim = padding.loops[loop.getPosition()];
      if (dim)
        // Without reductions, every entry is written once, by the yielded
        // value. A loop that reduces skips padding, and leaves the initial
        // entries there.
        dim->content = map.isPermutation() && op.getNumReductionLoops() == 0
                           ? toContent(PaddedBody(*this, op, padding.loops,
                                                  loop.getPosition())
                                           .yielded(result.getResultNumber()))
                           : PaddingContent();
      state.push_back(dim);
    }
    setResult(result, std::move(state));
  }
  if (isPadded(padding.loops))
    structured[op] = std::move(padding);
  return success();
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
    if (kind != utils::IteratorType::reduction || !padding.loops[loop])
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
