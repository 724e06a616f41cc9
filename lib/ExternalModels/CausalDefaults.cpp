// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// The default models of CausalOpInterface, for structured and elementwise
// operations.

#include "Defaults.h"
#include "npu/Interfaces/CausalOpInterface.h"

#include "mlir/Dialect/Linalg/IR/Linalg.h"
#include "mlir/Dialect/Utils/StructuredOpsUtils.h"

using namespace mlir;

namespace npu {
namespace {

/// Finds which loop of an operation runs over rows of the prompt and which one
/// over positions of the cache.
class LoopsOverRows {
public:
  LoopsOverRows(linalg::LinalgOp op, const RowTransfer &rows)
      : op(op), rows(rows), kinds(op.getIteratorTypesArray()) {}

  /// Finds the loops, or why there are no such loops.
  WhyNotCausal find(CausalLoops &loops) {
    for (OpOperand &operand : op->getOpOperands()) {
      Dependence dependence = rows.of(operand.get());
      AffineMap map = op.getMatchingIndexingMap(&operand);
      loops.last |= dependence.last;
      if (dependence.row)
        if (WhyNotCausal why =
                assignLoop(loops.row, map.getResult(*dependence.row), "rows"))
          return why;
      if (dependence.position)
        if (WhyNotCausal why =
                assignLoop(loops.position, map.getResult(*dependence.position),
                           "positions"))
          return why;
    }
    if (loops.row && loops.row == loops.position)
      return rowsMeetPositions.str();
    for (OpOperand &operand : op->getOpOperands())
      if (WhyNotCausal why = whyNotIndexed(operand, loops))
        return why;
    if (loops.last && loops.row)
      return rowsFollowFromLast.str();
    if (isReduction(loops.row))
      return "it reduces over the rows of the prompt, so that its result "
             "follows from the last row, and a chunk has only its own";
    // An operation that reduces the full cache to a result without rows gives
    // the same in the last chunk.
    if (!loops.row && isReduction(loops.position))
      loops.last = true;
    if (loops.last)
      loops.position = std::nullopt;
    return std::nullopt;
  }

  /// The dependence of a result, whose dimensions are read off the loops.
  WhyNotCausal resultOf(OpResult result, const CausalLoops &loops,
                        Dependence &dependence) {
    AffineMap map = op.getIndexingMapMatchingResult(result);
    auto dimOf = [&](std::optional<unsigned> loop) -> std::optional<int64_t> {
      if (!loop)
        return std::nullopt;
      auto dim =
          map.getResultPosition(getAffineDimExpr(*loop, op->getContext()));
      return dim ? std::optional<int64_t>(*dim) : std::nullopt;
    };
    dependence.last = loops.last;
    dependence.row = dimOf(loops.row);
    dependence.position = dimOf(loops.position);
    if ((loops.row && !dependence.row) ||
        (loops.position && !dependence.position &&
         !isReduction(loops.position)))
      return "result #" + std::to_string(result.getResultNumber()) +
             " has no dimension for a loop that runs over rows or positions";
    return std::nullopt;
  }

private:
  bool isReduction(std::optional<unsigned> loop) const {
    return loop && kinds[*loop] == utils::IteratorType::reduction;
  }

  /// Records that the loop of `expr` runs over `what`; refuses a second such
  /// loop.
  static WhyNotCausal assignLoop(std::optional<unsigned> &loop, AffineExpr expr,
                                 StringRef what) {
    auto dim = dyn_cast<AffineDimExpr>(expr);
    if (!dim)
      return ("it reads " + what + " through a window").str();
    if (loop && *loop != dim.getPosition())
      return ("two of its loops run over " + what +
              (what == "rows"
                   ? ", and a chunk has only its own: what is attended to must "
                     "come from the cache"
                   : ""))
          .str();
    loop = dim.getPosition();
    return std::nullopt;
  }

  WhyNotCausal whyNotIndexed(OpOperand &operand, const CausalLoops &loops) {
    AffineMap map = op.getMatchingIndexingMap(&operand);
    std::string name = "operand #" + std::to_string(operand.getOperandNumber());
    for (auto [dim, expr] : llvm::enumerate(map.getResults()))
      if (loops.row && expr.isFunctionOfDim(*loops.row) &&
          rows.of(operand.get()).row != dim)
        return name + " is indexed by a row's number in its chunk";
    // Entries of an output that are not written keep unknown values.
    if (loops.position && op.isDpsInit(&operand) &&
        !map.isProjectedPermutation())
      return "it writes a part of " + name;
    return std::nullopt;
  }

  linalg::LinalgOp op;
  const RowTransfer &rows;
  SmallVector<utils::IteratorType> kinds;
};

struct StructuredRows : CausalOpInterface::FallbackModel<StructuredRows> {
  WhyNotCausal transferRows(Operation *op, RowTransfer &rows) const {
    auto structured = cast<linalg::LinalgOp>(op);
    if (!structured.hasPureTensorSemantics())
      return "it does not work on tensors alone";
    LoopsOverRows found(structured, rows);
    CausalLoops loops;
    if (WhyNotCausal why = found.find(loops))
      return why;
    if (WhyNotCausal why = rows.computeEntries(op, loops))
      return why;
    for (OpResult result : op->getResults()) {
      Dependence dependence;
      if (WhyNotCausal why = found.resultOf(result, loops, dependence))
        return why;
      rows.set(result, dependence);
    }
    return std::nullopt;
  }

  SmallVector<unsigned> getCopied(Operation *) const { return {}; }
  // The region of the operation may compute with scalars.
  bool takesNumbers(Operation *) const { return true; }
  bool updatesCaches(Operation *) const { return false; }
};

struct ElementwiseRows : CausalOpInterface::FallbackModel<ElementwiseRows> {
  WhyNotCausal transferRows(Operation *op, RowTransfer &rows) const {
    if (op->getNumRegions() != 0 || op->getNumResults() != 1 ||
        !isa<RankedTensorType>(op->getResult(0).getType()))
      return rowsNotUnderstood.str();
    Dependence result;
    if (WhyNotCausal why = rows.join(op, result))
      return why;
    for (Value operand : op->getOperands())
      if (!isa<TensorType>(operand.getType()) &&
          !rows.isSame(operand, result.last))
        return "a number that follows from the offset or from the prompt's "
               "length is used: both differ in every chunk";
    CausalLoops loops{result.row, result.position, result.last};
    if (WhyNotCausal why = rows.computeEntries(op, loops))
      return why;
    rows.set(op->getResult(0), result);
    return std::nullopt;
  }

  SmallVector<unsigned> getCopied(Operation *) const { return {}; }
  bool takesNumbers(Operation *) const { return false; }
  bool updatesCaches(Operation *) const { return false; }
};

} // namespace

void attachCausalDefault(RegisteredOperationName name) {
  if (name.hasInterface<linalg::LinalgOp>())
    name.attachInterface<StructuredRows>();
  else if (isElementwise(name))
    name.attachInterface<ElementwiseRows>();
}

} // namespace npu
