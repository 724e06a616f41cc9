// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// What the entries of a function's tensors are in the two runs of Causality.h.

#include "../Body/RowMaximum.h"
#include "CausalBody.h"
#include "npu/Analysis/Choices/SplitReduction.h"

#include "mlir/Dialect/Utils/StructuredOpsUtils.h"
#include "mlir/IR/Matchers.h"
#include "mlir/Interfaces/SideEffectInterfaces.h"

using namespace mlir;

namespace npu {
namespace {

/// The classes that a constant's entries have.
FloatClasses classesOf(DenseElementsAttr constant) {
  // Beyond this, looking at every entry costs more than it is worth.
  constexpr int64_t mostEntries = 1 << 20;
  FloatClasses classes;
  if (constant.getNumElements() > mostEntries && !constant.isSplat())
    return FloatClasses::all();
  for (const APFloat &number : constant.getValues<APFloat>()) {
    classes |= classOf(number);
    if (constant.isSplat())
      break;
  }
  return classes;
}

} // namespace

EntryFacts Causality::factsOf(Value value, Assuming assuming) const {
  if (auto it = facts.find(value); it != facts.end())
    return it->second[unsigned(assuming)];
  Type type = getElementTypeOrSelf(value.getType());
  DenseElementsAttr constant;
  TypedAttr scalar;
  PairFact fact = PairFact::same(type);
  if (!isa<TensorType>(value.getType()) &&
      matchPattern(value, m_Constant(&scalar)))
    fact = PairFact::constant(scalar);
  else if (TypedAttr splat =
               isa<TensorType>(value.getType()) ? splatOf(value) : TypedAttr())
    fact = PairFact::constant(splat);
  else if (isa<FloatType>(type) && matchPattern(value, m_Constant(&constant)))
    fact = PairFact::same(type, classesOf(constant));
  else if (assuming == Assuming::Finite &&
           (isa<BlockArgument>(value) || matchPattern(value, m_Constant())))
    fact = PairFact::same(type, finiteNumbers);
  EntryFacts entry{fact, fact, fact};
  // What a cache holds behind a row may be any in both runs.
  if (of(value).position && of(value).cache)
    entry.behind = PairFact::sides(fact, fact);
  return entry;
}

void Causality::setFacts(Value value,
                         llvm::function_ref<EntryFacts(Assuming)> of) {
  facts[value] = {of(Assuming::Nothing), of(Assuming::Finite)};
}

void Causality::passFactsOn(Value from, Value to) {
  setFacts(to, [&](Assuming assuming) { return factsOf(from, assuming); });
}

void Causality::joinFacts(ValueRange from, Value to) {
  setFacts(to, [&](Assuming assuming) {
    EntryFacts joined;
    for (Value each : from) {
      EntryFacts facts = factsOf(each, assuming);
      joined.visible = joined.visible.join(facts.visible);
      joined.behind = joined.behind.join(facts.behind);
      joined.first = joined.first.join(facts.first);
    }
    return joined;
  });
}

/// What does not follow from the prompt is the same in both runs, whatever it
/// is.
void Causality::visitIndependent(Operation *op) {
  auto passesOn = [&](Value source) { passFactsOn(source, op->getResult(0)); };
  if (auto extract = dyn_cast<tensor::ExtractSliceOp>(op))
    return passesOn(extract.getSource());
  if (isa<tensor::ExpandShapeOp, tensor::CollapseShapeOp, tensor::CastOp>(op))
    return passesOn(op->getOperand(0));
  if (auto insert = dyn_cast<tensor::InsertSliceOp>(op))
    return joinFacts({insert.getSource(), insert.getDest()},
                     insert.getResult());
  if (auto concat = dyn_cast<tensor::ConcatOp>(op))
    return joinFacts(concat.getInputs(), concat.getResult());
  auto structured = dyn_cast<linalg::LinalgOp>(op);
  bool scalarwise = op->getNumRegions() == 0 && op->getNumResults() == 1 &&
                    (OpTrait::hasElementwiseMappableTraits(op) ||
                     !isa<ShapedType>(op->getResult(0).getType())) &&
                    isMemoryEffectFree(op);
  if (!scalarwise && !(structured && structured.hasPureTensorSemantics()))
    return;
  for (OpResult result : op->getResults())
    setFacts(result, [&](Assuming assuming) {
      PairFact fact;
      if (structured)
        fact = factsOfStructured(structured, {}, assuming)
                   .entries[result.getResultNumber()]
                   .visible;
      else
        fact = transferred(op, &EntryFacts::visible, assuming);
      if (!fact.isSame())
        fact = PairFact::same(fact.getType());
      return EntryFacts{fact, fact, fact};
    });
}

PairFact Causality::transferred(Operation *op, PairFact EntryFacts::*which,
                                Assuming assuming) const {
  SmallVector<PairFact> operands;
  for (Value operand : op->getOperands())
    operands.push_back(factsOf(operand, assuming).*which);
  TransferOptions options;
  options.mayOverflow = assuming == Assuming::Nothing;
  return transfer(op, operands, options);
}

StructuredFacts Causality::factsOfStructured(linalg::LinalgOp op,
                                             const CausalLoops &loops,
                                             Assuming assuming) const {
  StructuredFacts result;
  SmallVector<utils::IteratorType> kinds = op.getIteratorTypesArray();
  bool reduces = op.getNumReductionLoops() != 0;
  bool reducesPositions = loops.position && kinds[*loops.position] ==
                                                utils::IteratorType::reduction;
  unsigned outputs = op.getNumDpsInits();
  SmallVector<EntryFacts> begin;
  for (Value init : op.getDpsInits())
    begin.push_back(factsOf(init, assuming));

  /// What outputs hold after any number of the region's executions on such
  /// entries: the least that begins as `start` and stays as it is.
  auto after = [&](PairFact EntryFacts::*start, ArrayRef<Entries> entries) {
    SmallVector<PairFact> held = llvm::map_to_vector(
        begin, [&](const EntryFacts &each) { return each.*start; });
    while (true) {
      SmallVector<PairFact> next = held;
      for (Entries which : entries) {
        CausalBody body(*this, op, loops, which, assuming, held);
        for (unsigned i = 0; i < outputs; ++i) {
          PairFact yielded = body.yielded(i);
          if (result.why.empty() && !yielded.isSame())
            result.why =
                yielded.isSameUpToSignOfZero() && !body.whyZerosDiffer().empty()
                    ? body.whyZerosDiffer()
                    : body.why();
          next[i] = reduces ? next[i].join(yielded) : yielded;
        }
        if (which == Entries::Behind && !result.trap)
          result.trap = body.traps();
      }
      if (!reduces || next == held)
        return next;
      held = next;
    }
  };
  SmallVector<Entries> read{Entries::Visible};
  if (reducesPositions)
    read.push_back(Entries::Behind);
  SmallVector<PairFact> visible = after(&EntryFacts::visible, read);
  SmallVector<PairFact> behind = visible, first = visible;
  result.visiblyDiffers =
      !llvm::all_of(visible, std::mem_fn(&PairFact::isSame));
  if (loops.position && !reducesPositions && !result.visiblyDiffers) {
    behind = after(&EntryFacts::behind, Entries::Behind);
    first = after(&EntryFacts::first, Entries::First);
  }
  for (unsigned i = 0; i < outputs; ++i) {
    FloatClasses never = neverReduced(op, loops, i, begin[i].visible, assuming);
    for (PairFact *fact : {&visible[i], &behind[i], &first[i]})
      if (fact->isSame() && !never.isEmpty())
        *fact = PairFact::same(fact->getType(), fact->classes().without(never));
    result.entries.push_back({visible[i], behind[i], first[i]});
  }
  return result;
}

/// What a reduction never comes to, though its steps seen one by one might.
FloatClasses Causality::neverReduced(linalg::LinalgOp op,
                                     const CausalLoops &loops, unsigned output,
                                     const PairFact &begin,
                                     Assuming assuming) const {
  std::optional<Reduction> reduction = matchReduction(op);
  SmallVector<unsigned> reduced;
  op.getReductionDims(reduced);
  if (!reduction || output != 0 || reduced.size() != 1 ||
      op.getStaticLoopRanges()[reduced.front()] == 0)
    return {};
  Value accumulator = op.getRegionOutputArgs()[0];
  Operation *combiner = reduction->combiner;
  Value term =
      combiner->getOperand(combiner->getOperand(0) == accumulator ? 1 : 0);
  // The exponentials of what is left of a row's entries without the largest of
  // them: one is 1, or a NaN.
  if (isa<arith::AddFOp>(combiner) &&
      begin.classes().isSubsetOf(zeros | FloatClass::Positive) &&
      isExponentialOfRow(term, op, reduced.front()))
    return zeros;
  // The largest is not below the entry at position 0, if that is a number.
  if (!isa<arith::MaximumFOp, arith::MaxNumFOp>(combiner) ||
      loops.position != reduced.front())
    return {};
  CausalBody body(*this, op, loops, Entries::First, assuming, begin);
  bool mayBeNone =
      !(body.valueOf(term).classes() &
        FloatClasses{FloatClass::NaN, FloatClass::NegativeInfinity})
           .isEmpty();
  return mayBeNone ? FloatClasses() : FloatClass::NegativeInfinity;
}

} // namespace npu
