// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception

#include "CausalBody.h"
#include "npu/Analysis/Body/RowMaximum.h"
#include "npu/Interfaces/HarmlessOperands.h"
#include "npu/Interfaces/ModelOf.h"
#include "npu/Interfaces/ScalarOpInterface.h"

#include "mlir/IR/Matchers.h"

#include <functional>
#include <limits>

using namespace mlir;

namespace npu {

CausalBody::CausalBody(const Causality &analysis, linalg::LinalgOp op,
                       const CausalLoops &loops, Entries which,
                       Assuming assuming, ArrayRef<PairFact> outputs)
    : analysis(analysis), op(op), loops(loops), which(which),
      assuming(assuming), outputs(outputs),
      facts(op.getNumLoops(), /*numSymbols=*/2), evaluator(op, *this) {
  MLIRContext *context = op->getContext();
  AffineExpr offset = getAffineSymbolExpr(0, context);
  AffineExpr length = getAffineSymbolExpr(1, context);
  facts.atLeastZero(offset);
  facts.atLeastZero(length - 1);
  double capacity = static_cast<double>(analysis.capacity());
  limits.symbols = {capacity, capacity};
  SmallVector<int64_t> extents = op.getStaticLoopRanges();
  for (unsigned loop = 0; loop < op.getNumLoops(); ++loop) {
    AffineExpr index = getAffineDimExpr(loop, context);
    facts.atLeastZero(index);
    double limit = std::numeric_limits<double>::infinity();
    if (loop == loops.row) {
      facts.atLeastZero(length - 1 - index);
      limit = capacity;
    } else if (!ShapedType::isDynamic(extents[loop])) {
      facts.atLeastZero(extents[loop] - 1 - index);
      limit = static_cast<double>(extents[loop]);
    }
    limits.loops.push_back(limit);
  }
  if (which == Entries::After && loops.row)
    facts.atLeastZero(getAffineDimExpr(*loops.position, context) -
                      getAffineDimExpr(*loops.row, context) - offset - 1);
  if (which == Entries::First && loops.position)
    facts.atLeastZero(-getAffineDimExpr(*loops.position, context));
}

PairFact CausalBody::differs(Type type, const Twine &why) {
  if (reason.empty())
    reason = why.str();
  return PairFact::anything(type);
}

PairFact CausalBody::argument(BlockArgument argument) {
  OpOperand *operand = op.getMatchingOpOperand(argument);
  Value value = operand->get();
  if (op.isDpsInit(operand))
    return outputs[op.getTiedOpResult(operand).getResultNumber()];
  if (!isa<TensorType>(value.getType()))
    return evaluator.valueOf(value);
  EntryFacts entry = analysis.factsOf(value, assuming);
  if (which != Entries::After)
    return which == Entries::First ? entry.first : entry.visible;
  bool finite = entry.after.classes().isSubsetOf(finiteNumbers);
  if (!entry.after.isSameUpToSignOfZero())
    (void)differs(argument.getType(),
                  "row i reads entries of operand #" +
                      Twine(operand->getOperandNumber()) +
                      " at positions after row i, where nothing makes them "
                      "neutral" +
                      (assuming == Assuming::Nothing || finite ||
                               !isa<FloatType>(argument.getType())
                           ? ""
                           : "; they may be infinite or NaN even if what "
                             "arguments hold is finite"));
  return entry.after;
}

AffineExpr CausalBody::positionOf(Value value) {
  if (AffineExpr outside = analysis.exprOf(value))
    return outside;
  Operation *def = value.getDefiningOp();
  if (!def || !op->isProperAncestor(def))
    return {};
  if (auto index = dyn_cast<linalg::IndexOp>(def))
    return getAffineDimExpr(index.getDim(), op->getContext());
  return indexExprOf(def, limits, [&](Value each) { return positionOf(each); });
}

std::optional<PairFact> CausalBody::position(Value value) {
  Type type = value.getType();
  if (!type.isIntOrIndex() || type.isInteger(1))
    return std::nullopt;
  AffineExpr expr = positionOf(value);
  if (!expr)
    return std::nullopt;
  if (isSame(expr))
    return PairFact::same(type);
  return differs(type,
                 "rows are counted without the offset, or the prompt's length "
                 "is used as a number: both differ in every chunk");
}

std::optional<PairFact> CausalBody::comparison(arith::CmpIOp compare) {
  AffineExpr a = positionOf(compare.getLhs()), b = positionOf(compare.getRhs());
  if (!a || !b)
    return std::nullopt;
  Type type = compare.getType();
  if (!isSame(a - b))
    return differs(type, "a comparison counts rows without the offset, or with "
                         "the prompt's length: it comes out differently in "
                         "every chunk");
  // A negative number is large when compared as unsigned, and a position may be
  // negative in one run alone.
  bool comparesAlike = compare.getPredicate() < arith::CmpIPredicate::ult ||
                       (facts.never(-a - 1) && facts.never(-b - 1)) ||
                       (isSame(a) && isSame(b));
  if (!comparesAlike)
    return differs(type,
                   "an unsigned comparison takes what is counted from the "
                   "chunk's first row, and may be below zero, for a large "
                   "number");
  if (auto outcome = facts.compare(compare.getPredicate(), a, b))
    return PairFact::constant(Builder(op->getContext()).getBoolAttr(*outcome));
  return PairFact::same(type);
}

PairFact CausalBody::outside(Value value) {
  Type type = value.getType();
  if (isa<TensorType>(type)) {
    const Dependence &dependence = analysis.of(value);
    if (dependence.isIndependent() || (loops.last && !dependence.row))
      return PairFact::same(type);
    return differs(type, "a tensor that follows from the prompt is read by "
                         "position in the region");
  }
  if (analysis.isSame(value, loops.last))
    return analysis.factsOf(value, assuming).visible;
  return differs(type, "a number that follows from the offset or from the "
                       "prompt's length is used: both differ in every chunk");
}

FloatClasses CausalBody::entriesOf(Value tensor) {
  if (!isa<FloatType>(getElementTypeOrSelf(tensor.getType())))
    return FloatClasses::all();
  return analysis.factsOf(tensor, assuming).visible.classes();
}

TransferOptions CausalBody::optionsOf(Operation *def) {
  TransferOptions options;
  options.mayOverflow = assuming == Assuming::Nothing;
  auto sub = dyn_cast<arith::SubFOp>(def);
  for (unsigned loop = 0; sub && loop < op.getNumLoops(); ++loop)
    options.subtractsLargest |= bool(subtractedLargest(sub, op, loop));
  return options;
}

void CausalBody::saw(Operation *def, ArrayRef<PairFact> operands,
                     const PairFact &result) {
  if (!llvm::all_of(operands, std::mem_fn(&PairFact::isSameUpToSignOfZero)) ||
      llvm::all_of(operands, std::mem_fn(&PairFact::isSame)) || result.isSame())
    return;
  auto scalar = modelOf<ScalarOpInterface>(def);
  if (scalar && scalar.passesSignOfZeroOn() && result.isSameUpToSignOfZero())
    return;
  ofZeros = "weights of 0 give zeros of either sign, and '" +
            def->getName().getStringRef().str() +
            "' may give another result for each";
  if (!result.isSameUpToSignOfZero())
    reason = ofZeros;
}

void CausalBody::sawUnknown(Operation *def) {
  (void)differs(def->getResult(0).getType(), "it is not known what '" +
                                                 def->getName().getStringRef() +
                                                 "' in the region does");
}

Operation *CausalBody::traps() {
  Operation *trap = nullptr;
  op.getBlock()->walk([&](Operation *each) {
    if (!mayTrap(each) || each->getNumRegions() != 0)
      return WalkResult::advance();
    bool same = llvm::all_of(each->getOperands(), [&](Value operand) {
      return evaluator.valueOf(operand).isSame();
    });
    if (same)
      return WalkResult::advance();
    trap = each;
    return WalkResult::interrupt();
  });
  return trap;
}

} // namespace npu
