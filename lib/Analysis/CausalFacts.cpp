// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// What the entries of a function's tensors are in the two runs of Causality.h.

#include "CausalBody.h"
#include "RowMaximum.h"
#include "npu/Analysis/SplitReduction.h"

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
  EntryFacts entry{fact, fact};
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
      return EntryFacts{fact, fact};
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

  /// What outputs hold after any number of the region's executions, each of
  /// them at a visible position, or behind the row, as is said: the least that
  /// begins as `start` and stays as it is.
  auto after = [&](SmallVector<PairFact> start, bool atVisible,
                   bool behindRow) {
    SmallVector<PairFact> held = start;
    while (true) {
      SmallVector<PairFact> next = held;
      for (bool behind : {false, true}) {
        if (!(behind ? behindRow : atVisible))
          continue;
        CausalBody body(*this, op, loops, behind, assuming, held);
        for (unsigned i = 0; i < outputs; ++i) {
          PairFact yielded = body.yielded(i);
          if (result.why.empty() && !yielded.isSame())
            result.why =
                yielded.isSameUpToSignOfZero() && !body.whyZerosDiffer().empty()
                    ? body.whyZerosDiffer()
                    : body.why();
          next[i] = reduces ? next[i].join(yielded) : yielded;
        }
        if (behind && !result.trap)
          result.trap = body.traps();
      }
      if (!reduces || next == held)
        return next;
      held = next;
    }
  };
  auto started = [&](PairFact EntryFacts::*which) {
    return llvm::map_to_vector(
        begin, [&](const EntryFacts &each) { return each.*which; });
  };
  SmallVector<PairFact> visible =
      after(started(&EntryFacts::visible), true, reducesPositions);
  SmallVector<PairFact> behind = visible;
  result.visiblyDiffers =
      !llvm::all_of(visible, std::mem_fn(&PairFact::isSame));
  if (loops.position && !reducesPositions && !result.visiblyDiffers)
    behind = after(started(&EntryFacts::behind), false, true);
  for (unsigned i = 0; i < outputs; ++i) {
    if (isSumWithOne(op, i, begin[i].visible))
      for (PairFact *fact : {&visible[i], &behind[i]})
        if (fact->isSame())
          *fact =
              PairFact::same(fact->getType(), fact->classes().without(zeros));
    result.entries.push_back({visible[i], behind[i]});
  }
  return result;
}

/// The sum of the exponentials of what is left of a row's entries without the
/// largest of them has a term of 1, or one that is a NaN.
bool Causality::isSumWithOne(linalg::LinalgOp op, unsigned output,
                             const PairFact &begin) const {
  std::optional<Reduction> reduction = matchReduction(op);
  if (!reduction || output != 0 || !isa<arith::AddFOp>(reduction->combiner) ||
      !begin.classes().isSubsetOf(zeros | FloatClasses(FloatClass::Positive)))
    return false;
  SmallVector<unsigned> reduced;
  op.getReductionDims(reduced);
  Value accumulator = op.getRegionOutputArgs()[0];
  Operation *combiner = reduction->combiner;
  Value term =
      combiner->getOperand(combiner->getOperand(0) == accumulator ? 1 : 0);
  return reduced.size() == 1 && isExponentialOfRow(term, op, reduced.front());
}

} // namespace npu
