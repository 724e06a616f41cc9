// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// Facts of the entries of a function's tensors in the two runs of Causality.h.

#include "CausalBody.h"
#include "npu/Analysis/Body/RowMaximum.h"
#include "npu/Interfaces/HarmlessOperands.h"
#include "npu/Interfaces/ModelOf.h"

#include "mlir/IR/Matchers.h"
#include "mlir/Interfaces/SideEffectInterfaces.h"

using namespace mlir;

namespace npu {
namespace {

/// The classes of the entries of a constant.
FloatClasses classesOf(DenseElementsAttr constant) {
  // Beyond this, looking at every entry costs more than it is worth.
  constexpr int64_t maxEntries = 1 << 20;
  FloatClasses classes;
  if (constant.getNumElements() > maxEntries && !constant.isSplat())
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
  // What a cache holds after a row may differ between the two runs.
  if (of(value).position && of(value).cache)
    entry.after = PairFact::sides(fact, fact);
  return entry;
}

void Causality::setFacts(Value value,
                         llvm::function_ref<EntryFacts(Assuming)> of) {
  facts[value] = {of(Assuming::Nothing), of(Assuming::Finite)};
}

void Causality::joinFacts(ValueRange from, Value to) {
  setFacts(to, [&](Assuming assuming) {
    EntryFacts joined;
    for (Value each : from) {
      EntryFacts facts = factsOf(each, assuming);
      joined.visible = joined.visible.join(facts.visible);
      joined.after = joined.after.join(facts.after);
      joined.first = joined.first.join(facts.first);
    }
    return joined;
  });
}

static SmallVector<Value> copiedBy(CausalOpInterface op) {
  return llvm::map_to_vector(op.getCopied(), [&](unsigned operand) {
    return op->getOperand(operand);
  });
}

/// A value that does not follow from the prompt is the same in both runs,
/// whatever it is.
void Causality::setIndependentFacts(Operation *op) {
  if (auto model = modelOf<CausalOpInterface>(op))
    if (SmallVector<Value> copied = copiedBy(model); !copied.empty()) {
      for (Value result : op->getResults())
        joinFacts(copied, result);
      return;
    }
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

void Causality::setAnsweredFacts(CausalOpInterface op) {
  SmallVector<Value> copied = copiedBy(op);
  for (Value result : op->getResults()) {
    if (!copied.empty())
      joinFacts(copied, result);
    Dependence dependence = of(result);
    bool updated = dependence.cache && op.updatesCaches();
    if (facts.contains(result) ? !updated : !dependence.position)
      continue;
    // Nothing is known of an entry after a row; in the cache of one run, the
    // prompt's later rows stand there.
    setFacts(result, [&](Assuming assuming) {
      EntryFacts held = factsOf(result, assuming);
      held.after = updated ? PairFact::sides(held.visible, held.visible)
                            : PairFact::anything(held.visible.getType());
      return held;
    });
  }
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

WhyNotCausal Causality::computeEntries(Operation *op,
                                       const CausalLoops &loops) {
  if (auto structured = dyn_cast<linalg::LinalgOp>(op))
    return computeStructured(structured, loops);
  if (OpTrait::hasElementwiseMappableTraits(op) && op->getNumResults() == 1)
    return computeElementwise(op, loops);
  return std::nullopt;
}

WhyNotCausal Causality::computeElementwise(Operation *op,
                                           const CausalLoops &loops) {
  Value made = op->getResult(0);
  setFacts(made, [&](Assuming assuming) {
    return EntryFacts{transferred(op, &EntryFacts::visible, assuming),
                      transferred(op, &EntryFacts::after, assuming),
                      transferred(op, &EntryFacts::first, assuming)};
  });
  if (!factsOf(made, Assuming::Nothing).visible.isSame())
    return "it tells one NaN from another";
  bool afterDiffers = llvm::any_of(op->getOperands(), [&](Value operand) {
    return !factsOf(operand, Assuming::Nothing).after.isSame();
  });
  if (loops.position && afterDiffers && mayTrap(op))
    return "it may trap on what the cache holds after a row";
  return std::nullopt;
}

} // namespace npu
