// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// The walk over a prefill function, and the dependences of scalars and results.

#include "npu/Analysis/Causality/Causality.h"
#include "CausalBody.h"
#include "npu/Analysis/Body/RowMaximum.h"
#include "npu/Analysis/Choices/SplitReduction.h"
#include "npu/Interfaces/HarmlessOperands.h"
#include "npu/Interfaces/ModelOf.h"
#include "npu/Support/NoteNode.h"
#include "npu/Support/RefusalKind.h"

#include "mlir/Dialect/Utils/StaticValueUtils.h"
#include "mlir/Dialect/Utils/StructuredOpsUtils.h"
#include "mlir/IR/Matchers.h"
#include "mlir/Interfaces/SideEffectInterfaces.h"

using namespace mlir;

namespace npu {
Causality::Causality(func::FuncOp function, const Prefill &prefill,
                     bool assumeFinite)
    : function(function), context(function.getContext()), prefill(prefill),
      assumeFinite(assumeFinite) {}

Dependence Causality::of(Value value) const {
  return dependences.lookup(value);
}

AffineExpr Causality::exprOf(OpFoldResult value) const {
  if (std::optional<int64_t> number = getConstantIntValue(value))
    return constantExprOf(*number, context);
  auto it = indices.find(dyn_cast<Value>(value));
  return it == indices.end() ? AffineExpr() : it->second;
}

bool Causality::isSame(AffineExpr expr, std::optional<unsigned> rowLoop,
                       bool last) const {
  auto symbol = [&](unsigned number) {
    return getAffineSymbolExpr(number, context);
  };
  // Express the same row in a run that begins `shift` rows later.
  AffineExpr shift = symbol(2);
  AffineExpr later;
  unsigned loops = rowLoop ? *rowLoop + 1 : 0;
  expr.walk([&](AffineExpr each) {
    if (auto dim = dyn_cast<AffineDimExpr>(each))
      loops = std::max(loops, dim.getPosition() + 1);
  });
  if (last) {
    later = expr.replaceSymbols({symbol(0) + shift, symbol(1) - shift});
  } else {
    if (expr.isFunctionOfSymbol(1))
      return false;
    SmallVector<AffineExpr> dims;
    for (unsigned loop = 0; loop < loops; ++loop) {
      AffineExpr dim = getAffineDimExpr(loop, context);
      dims.push_back(loop == rowLoop ? dim - shift : dim);
    }
    later = expr.replaceDimsAndSymbols(dims, {symbol(0) + shift, symbol(1)});
  }
  AffineExpr difference = simplifyAffineExpr(later - expr, loops, 3);
  auto number = dyn_cast<AffineConstantExpr>(difference);
  return number && number.getValue() == 0;
}

bool Causality::isSame(OpFoldResult scalar, bool last) const {
  if (AffineExpr expr = exprOf(scalar))
    return isSame(expr, std::nullopt, last);
  return !differing.contains(dyn_cast<Value>(scalar));
}

LogicalResult Causality::refuse(Operation *op, const Twine &why) {
  InFlightDiagnostic error = op->emitError()
                             << "'" << op->getName()
                             << "' cannot be run in chunks: " << why;
  noteNode(error, op);
  return marked(std::move(error), RefusalKind::NotChunked);
}

LogicalResult Causality::run() {
  if (!function.getBody().hasOneBlock())
    return function.emitError()
           << "expected a function of one block to run in chunks, got "
           << function.getBody().getBlocks().size() << " blocks";
  for (auto [number, argument] : llvm::enumerate(function.getArguments())) {
    const auto &rows = prefill.prompt.dims[number];
    const std::optional<int64_t> &cacheDim = prefill.cacheDims[number];
    if (number == prefill.offset)
      indices[argument] = getAffineSymbolExpr(0, context);
    if (rows.size() > 1)
      return function.emitError()
             << "argument #" << number
             << " cannot be cut into chunks: expected one prompt dimension, "
                "got "
             << rows.size();
    Dependence dependence;
    if (rows.size() == 1)
      dependence.row = rows.front();
    if (cacheDim) {
      dependence.position = cacheDim;
      dependence.cache = number;
      dependence.updated = false;
    }
    if (!dependence.isIndependent())
      dependences[argument] = dependence;
  }
  for (Operation &op : function.front())
    if (failed(visit(&op)))
      return failure();
  return success();
}

Causality::Reads Causality::readsOf(Operation *op) const {
  Reads reads;
  op->walk([&](Operation *inner) {
    for (Value value : inner->getOperands()) {
      Dependence dependence = of(value);
      reads.rows |= !dependence.isIndependent();
      reads.oldCache |= !dependence.updated;
      reads.numbers |=
          !isa<TensorType>(value.getType()) && !isSame(value, /*last=*/false);
    }
  });
  return reads;
}

LogicalResult Causality::visit(Operation *op) {
  if (op->hasTrait<OpTrait::ReturnLike>())
    return visitReturn(op);
  if (auto assertion = dyn_cast<cf::AssertOp>(op))
    return visitAssert(assertion);
  if (auto dim = dyn_cast<ShapedDimOpInterface>(op);
      dim && isa<TensorType>(dim.getShapedValue().getType())) {
    visitDim(dim);
    return success();
  }
  Reads reads = readsOf(op);
  auto model = modelOf<CausalOpInterface>(op);
  if (reads.oldCache && !(model && model.updatesCaches()))
    return refuse(op, "it reads a cache before the prompt's entries are in it, "
                      "so that a later chunk would find others there");
  auto takesNumbers = [&] {
    bool ofNumbers = llvm::none_of(
        op->getOperandTypes(), [](Type type) { return isa<ShapedType>(type); });
    return (reads.numbers || ofNumbers) && model.takesNumbers();
  };
  if (model && (reads.rows || takesNumbers()))
    return ask(model);
  if (!reads.rows)
    return visitIndependent(op, reads.numbers);
  if (isPromised<CausalOpInterface>(op))
    return refuse(op, "its dialect promises a model of npu::CausalOpInterface, "
                      "which is not registered");
  return refuse(op, rowsNotUnderstood);
}

void Causality::visitDim(ShapedDimOpInterface op) {
  Value extent = op->getResult(0);
  std::optional<int64_t> dim = getConstantIntValue(op.getDimension());
  auto type = dyn_cast<RankedTensorType>(op.getShapedValue().getType());
  if (dim && type && *dim >= 0 && *dim < type.getRank()) {
    if (!type.isDynamicDim(*dim))
      indices[extent] = getAffineConstantExpr(type.getDimSize(*dim), context);
    else if (of(op.getShapedValue()).row == *dim)
      indices[extent] = getAffineSymbolExpr(1, context);
  }
  if (!indices.contains(extent))
    differing.insert(extent);
}

LogicalResult Causality::ask(CausalOpInterface op) {
  if (WhyNotCausal why = op.transferRows(*this))
    return refuse(op, *why);
  // The region of a LinalgOp is checked for effects on its own.
  if (!isa<linalg::LinalgOp>(op.getOperation()) && !isMemoryEffectFree(op))
    return refuse(op, "it has effects of its own");
  for (OpResult result : op->getResults()) {
    if (!isa<TensorType>(result.getType()))
      continue;
    auto answer = dependences.find(result);
    if (answer == dependences.end())
      return refuse(op, rowsNotUnderstood);
    std::optional<unsigned> cache = answer->second.cache;
    if (cache && op.updatesCaches() && !updated.insert(*cache).second)
      return refuse(op, cacheUpdatedTwice(*cache));
  }
  setAnsweredFacts(op);
  return success();
}

void Causality::set(Value result, const Dependence &dependence) {
  dependences[result] = dependence;
}

/// Handles scalars that follow from the offset and the length, and operations
/// that depend on neither the prompt nor such scalars.
LogicalResult Causality::visitIndependent(Operation *op, bool readsNumbers) {
  bool scalars = llvm::none_of(op->getResultTypes(),
                               [](Type type) { return isa<ShapedType>(type); });
  if (readsNumbers && !scalars)
    return refuse(op, "it follows from the offset or the prompt's length in a "
                      "way that is not understood");
  if (readsNumbers && mayTrap(op))
    return refuse(op, "it may trap on the offset or the length of a chunk");
  double capacity = static_cast<double>(prefill.capacity);
  PositionLimits limits{{}, {capacity, capacity}};
  for (Value result : op->getResults()) {
    AffineExpr expr;
    if (op->getNumResults() == 1 && result.getType().isIntOrIndex())
      expr =
          indexExprOf(op, limits, [&](Value value) { return exprOf(value); });
    if (expr)
      indices[result] = simplifyAffineExpr(expr, 0, 2);
    else if (readsNumbers)
      differing.insert(result);
  }
  if (!isMemoryEffectFree(op))
    return refuse(op, "it has effects of its own");
  setIndependentFacts(op);
  return success();
}

bool Causality::holdsInChunks(arith::CmpIOp compare) const {
  AffineExpr a = exprOf(compare.getLhs()), b = exprOf(compare.getRhs());
  if (!a || !b)
    return false;
  auto symbol = [&](unsigned number) {
    return getAffineSymbolExpr(number, context);
  };
  // Consider a chunk of `rows` rows that begins with row `begin` of the prompt.
  AffineExpr offset = symbol(0), length = symbol(1), begin = symbol(2),
             rows = symbol(3);
  PositionFacts facts(/*numLoops=*/0, /*numSymbols=*/4);
  for (AffineExpr each : {offset, begin, rows - 1, length - begin - rows,
                          prefill.capacity - offset - length})
    facts.atLeastZero(each);
  SmallVector<AffineExpr> parts =
      facts.conditionsOf(compare.getPredicate(), a, b);
  for (AffineExpr part : parts)
    facts.atLeastZero(part);
  return !parts.empty() && llvm::all_of(parts, [&](AffineExpr part) {
    return facts.never(-part.replaceSymbols({offset + begin, rows}) - 1);
  });
}

LogicalResult Causality::visitAssert(cf::AssertOp op) {
  auto compare = op.getArg().getDefiningOp<arith::CmpIOp>();
  if (isSame(op.getArg(), /*last=*/false) ||
      (compare && holdsInChunks(compare)))
    return success();
  return refuse(op, "it may hold for the prompt and not for a chunk of it");
}

LogicalResult Causality::visitReturn(Operation *op) {
  llvm::SmallBitVector returned(function.getNumArguments());
  for (OpOperand &operand : op->getOpOperands()) {
    Dependence dependence = of(operand.get());
    unsigned number = operand.getOperandNumber();
    auto where = [&] { return "result #" + Twine(number).str(); };
    if (dependence.row && !dependence.position) {
      resultKinds.push_back({PrefillResult::Rows, *dependence.row, 0});
    } else if (dependence.cache) {
      if (!dependence.updated)
        return refuse(op,
                      where() + " is the cache without the prompt's entries");
      if (returned.test(*dependence.cache))
        return refuse(op, "the cache of argument #" + Twine(*dependence.cache) +
                              " is returned twice");
      returned.set(*dependence.cache);
      resultKinds.push_back({PrefillResult::Cache, 0, *dependence.cache});
    } else if (dependence.last) {
      resultKinds.push_back({PrefillResult::Last, 0, 0});
    } else {
      return refuse(op, where() + (dependence.position
                                       ? " follows from a cache, but is none"
                                       : " does not follow from the prompt"));
    }
    if (resultKinds.back().kind != PrefillResult::Rows) {
      auto type = dyn_cast<RankedTensorType>(operand.get().getType());
      if (!type || !type.hasStaticShape())
        return refuse(op, where() + " has no static shape");
    }
  }
  for (auto [argument, dim] : llvm::enumerate(prefill.cacheDims))
    if (dim && !returned.test(argument))
      return refuse(op, "the cache of argument #" + Twine(argument) +
                            " is not returned with the prompt's entries, so "
                            "that the next chunk would not find them");
  return success();
}

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
