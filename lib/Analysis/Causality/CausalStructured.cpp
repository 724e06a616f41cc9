// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// Rows and positions seen through elementwise and structured operations.

#include "CausalBody.h"

#include "mlir/Dialect/Utils/StructuredOpsUtils.h"

#include <functional>

using namespace mlir;

namespace npu {
namespace {
constexpr llvm::StringLiteral rowsMeetPositions =
    "rows of the prompt meet positions of the cache, of which they have the "
    "same number only by chance";

/// Why the results of an operation are not the same in both runs; nothing where
/// they are, or where what reads them decides that.
std::optional<std::string> whyDifferent(const CausalLoops &loops,
                                        const StructuredFacts &facts) {
  if (facts.visiblyDiffers)
    return !facts.why.empty() ? facts.why
           : loops.position
               ? "what it reduces over positions behind a row is not neutral"
               : "it tells one NaN from another";
  if (facts.trap)
    return ("'" + facts.trap->getName().getStringRef() +
            "' in the region may trap on what the cache holds behind a row")
        .str();
  return std::nullopt;
}

} // namespace

FailureOr<Dependence> Causality::joined(Operation *op) {
  Dependence result;
  for (Value operand : op->getOperands()) {
    const Dependence &dependence = of(operand);
    if (dependence.row) {
      if (result.row && result.row != dependence.row)
        return refuse(op, "rows of the prompt stand in two dimensions");
      result.row = dependence.row;
    }
    if (dependence.position) {
      if (result.position && result.position != dependence.position)
        return refuse(op, "positions of the cache stand in two dimensions");
      result.position = dependence.position;
    }
    result.last |= dependence.last;
  }
  if (result.row && result.row == result.position)
    return refuse(op, rowsMeetPositions);
  for (OpOperand &operand : op->getOpOperands())
    if (isa<TensorType>(operand.get().getType()) &&
        of(operand.get()).row != result.row)
      return refuse(op, "rows of the prompt meet what are none in operand #" +
                            Twine(operand.getOperandNumber()));
  if (result.last && result.row)
    return refuse(op, "rows follow from the prompt's last rows");
  if (result.last)
    result.position = std::nullopt;
  return result;
}

LogicalResult Causality::visitElementwise(Operation *op) {
  FailureOr<Dependence> result = joined(op);
  if (failed(result))
    return failure();
  for (Value operand : op->getOperands())
    if (!isa<TensorType>(operand.getType()) && !isSame(operand, result->last))
      return refuse(op, "a number that follows from the offset or from the "
                        "prompt's length is used: both differ in every chunk");
  Value made = op->getResult(0);
  setFacts(made, [&](Assuming assuming) {
    return EntryFacts{transferred(op, &EntryFacts::visible, assuming),
                      transferred(op, &EntryFacts::behind, assuming),
                      transferred(op, &EntryFacts::first, assuming)};
  });
  if (!factsOf(made, Assuming::Nothing).visible.isSame())
    return refuse(op, "it tells one NaN from another");
  bool behindDiffers = llvm::any_of(op->getOperands(), [&](Value operand) {
    return !factsOf(operand, Assuming::Nothing).behind.isSame();
  });
  if (result->position && behindDiffers && mayTrap(op))
    return refuse(op, "it may trap on what the cache holds behind a row");
  dependences[made] = *result;
  return success();
}

LogicalResult Causality::visitStructured(linalg::LinalgOp op) {
  if (!op.hasPureTensorSemantics())
    return refuse(op, "it does not work on tensors alone");
  CausalLoops loops;
  auto meet = [&](std::optional<unsigned> &loop, AffineExpr expr,
                  StringRef what) -> LogicalResult {
    auto dim = dyn_cast<AffineDimExpr>(expr);
    if (!dim)
      return refuse(op, "it reads " + what + " through a window");
    if (loop && *loop != dim.getPosition())
      return refuse(op, "two of its loops run over " + what +
                            (what == "rows"
                                 ? ", and a chunk has only its own: what is "
                                   "attended to must come from the cache"
                                 : ""));
    loop = dim.getPosition();
    return success();
  };
  for (OpOperand &operand : op->getOpOperands()) {
    const Dependence &dependence = of(operand.get());
    AffineMap map = op.getMatchingIndexingMap(&operand);
    loops.last |= dependence.last;
    if (dependence.row &&
        failed(meet(loops.row, map.getResult(*dependence.row), "rows")))
      return failure();
    if (dependence.position &&
        failed(meet(loops.position, map.getResult(*dependence.position),
                    "positions")))
      return failure();
  }
  if (loops.row && loops.row == loops.position)
    return refuse(op, rowsMeetPositions);
  for (OpOperand &operand : op->getOpOperands()) {
    AffineMap map = op.getMatchingIndexingMap(&operand);
    for (auto [dim, expr] : llvm::enumerate(map.getResults()))
      if (loops.row && expr.isFunctionOfDim(*loops.row) &&
          of(operand.get()).row != dim)
        return refuse(op, "operand #" + Twine(operand.getOperandNumber()) +
                              " is indexed by a row's number in its chunk");
    // The entries of an output that are not written may be any.
    if (loops.position && op.isDpsInit(&operand) &&
        !map.isProjectedPermutation())
      return refuse(op, "it writes a part of operand #" +
                            Twine(operand.getOperandNumber()));
  }
  if (loops.last && loops.row)
    return refuse(op, "rows follow from the prompt's last rows");
  SmallVector<utils::IteratorType> kinds = op.getIteratorTypesArray();
  auto isReduction = [&](std::optional<unsigned> loop) {
    return loop && kinds[*loop] == utils::IteratorType::reduction;
  };
  if (isReduction(loops.row))
    return refuse(op, "it reduces over the rows of the prompt, and a chunk has "
                      "only its own");
  // What is made of the full cache alone is the same at the end.
  if (!loops.row && isReduction(loops.position))
    loops.last = true;
  if (loops.last)
    loops.position = std::nullopt;

  // With as little taken for granted as suffices.
  std::array<StructuredFacts, 2> made{
      factsOfStructured(op, loops, Assuming::Nothing),
      factsOfStructured(op, loops, Assuming::Finite)};
  std::optional<std::string> why = whyDifferent(loops, made[0]);
  if (why && assumeFinite) {
    why = whyDifferent(loops, made[1]);
    if (!why)
      assuming.push_back(op);
  }
  if (why)
    return refuse(op, *why);
  for (OpResult result : op->getResults()) {
    unsigned number = result.getResultNumber();
    Dependence dependence;
    dependence.last = loops.last;
    AffineMap map = op.getIndexingMapMatchingResult(result);
    auto dimOf = [&](std::optional<unsigned> loop) -> std::optional<int64_t> {
      if (!loop)
        return std::nullopt;
      auto dim =
          map.getResultPosition(getAffineDimExpr(*loop, op->getContext()));
      return dim ? std::optional<int64_t>(*dim) : std::nullopt;
    };
    dependence.row = dimOf(loops.row);
    dependence.position = dimOf(loops.position);
    if ((loops.row && !dependence.row) ||
        (loops.position && !dependence.position &&
         !isReduction(loops.position)))
      return refuse(op, "result #" + Twine(number) +
                            " has no dimension for a loop that runs over rows "
                            "or positions");
    if (!dependence.isIndependent())
      dependences[result] = dependence;
    setFacts(result, [&](Assuming assuming) {
      EntryFacts entry = made[unsigned(assuming)].entries[number];
      // What was taken for granted here is granted from now on.
      if (!entry.visible.isSame())
        entry.visible = PairFact::same(entry.visible.getType());
      if (!dependence.position)
        entry.behind = entry.first = entry.visible;
      return entry;
    });
  }
  return success();
}

} // namespace npu
