// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// Facts of the entries of a structured operation's results in the two runs of
// Causality.h.

#include "CausalBody.h"
#include "npu/Analysis/Body/RowMaximum.h"
#include "npu/Analysis/Choices/SplitReduction.h"

#include "mlir/Dialect/Utils/StructuredOpsUtils.h"

using namespace mlir;

namespace npu {
namespace {

/// Why the results of an operation are not the same in both runs; nothing where
/// they are, or where that depends on how their users read them.
WhyNotCausal whyDifferent(const CausalLoops &loops,
                          const StructuredFacts &facts) {
  if (facts.visiblyDiffers)
    return !facts.why.empty() ? facts.why
           : loops.position
               ? "what it reduces over positions after a row is not neutral"
               : "it tells one NaN from another";
  if (facts.trap)
    return ("'" + facts.trap->getName().getStringRef() +
            "' in the region may trap on what the cache holds after a row")
        .str();
  return std::nullopt;
}

} // namespace

WhyNotCausal Causality::computeStructured(linalg::LinalgOp op,
                                          const CausalLoops &loops) {
  // Prefer the weakest assumption under which the results are the same.
  std::array<StructuredFacts, 2> made{
      factsOfStructured(op, loops, Assuming::Nothing),
      factsOfStructured(op, loops, Assuming::Finite)};
  WhyNotCausal why = whyDifferent(loops, made[0]);
  if (why && assumeFinite) {
    why = whyDifferent(loops, made[1]);
    if (!why)
      assuming.push_back(op);
  }
  if (why)
    return why;
  for (OpResult result : op->getResults()) {
    AffineMap map = op.getIndexingMapMatchingResult(result);
    bool hasPositions = loops.position && map.isFunctionOfDim(*loops.position);
    setFacts(result, [&](Assuming assuming) {
      EntryFacts entry =
          made[unsigned(assuming)].entries[result.getResultNumber()];
      // The assumption that the visible entries are the same has been recorded,
      // and holds for all users.
      if (!entry.visible.isSame())
        entry.visible = PairFact::same(entry.visible.getType());
      if (!hasPositions)
        entry.after = entry.first = entry.visible;
      return entry;
    });
  }
  return std::nullopt;
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

  /// What outputs hold after any number of executions of the region on such
  /// entries: the least fixpoint that contains `start`.
  auto afterRuns = [&](PairFact EntryFacts::*start, ArrayRef<Entries> entries) {
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
        if (which == Entries::After && !result.trap)
          result.trap = body.traps();
      }
      if (!reduces || next == held)
        return next;
      held = next;
    }
  };
  SmallVector<Entries> read{Entries::Visible};
  if (reducesPositions)
    read.push_back(Entries::After);
  SmallVector<PairFact> visible = afterRuns(&EntryFacts::visible, read);
  SmallVector<PairFact> after = visible, first = visible;
  result.visiblyDiffers =
      !llvm::all_of(visible, std::mem_fn(&PairFact::isSame));
  if (loops.position && !reducesPositions && !result.visiblyDiffers) {
    after = afterRuns(&EntryFacts::after, Entries::After);
    first = afterRuns(&EntryFacts::first, Entries::First);
  }
  for (unsigned i = 0; i < outputs; ++i) {
    FloatClasses never = neverReduced(op, loops, i, begin[i].visible, assuming);
    for (PairFact *fact : {&visible[i], &after[i], &first[i]})
      if (fact->isSame() && !never.isEmpty())
        *fact = PairFact::same(fact->getType(), fact->classes().without(never));
    result.entries.push_back({visible[i], after[i], first[i]});
  }
  return result;
}

/// The classes that the result of a reduction never has, although its steps,
/// one by one, might give them.
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
  // A sum of the exponentials of a row's entries minus the row's largest entry
  // is not 0, because one of the terms is 1 or a NaN.
  if (isa<arith::AddFOp>(combiner) &&
      begin.classes().isSubsetOf(zeros | FloatClass::Positive) &&
      isExponentialOfRow(term, op, reduced.front()))
    return zeros;
  // The largest entry of a row is not below the entry at position 0, if that is
  // a number.
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
