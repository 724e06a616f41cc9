// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// Ways that split loops which reduce.

#include "npu/Analysis/Choices/BuildSplitReduction.h"
#include "npu/Analysis/Choices/Gather.h"
#include "npu/Analysis/Costs/ModelledCost.h"
#include "npu/Analysis/Ways/OperationWays.h"
#include "npu/Target/Count.h"

#include <fmt/format.h>

using namespace mlir;

namespace npu {
namespace {

/// An operation gets no more ways in parts than these.
constexpr size_t manyWaysInParts = 12;

/// What a way in parts becomes, on arguments of a block of its own.
class PartsProbe {
public:
  PartsProbe(linalg::LinalgOp op, const Reduction &reduction,
             const OperationWay &way) {
    OpBuilder builder(op.getContext());
    builder.setInsertionPointToEnd(&block);
    auto argument = [&](Type type) -> Value {
      return block.addArgument(type, op.getLoc());
    };
    SmallVector<Value> inputs;
    for (OpOperand *operand : op.getDpsInputOperands()) {
      RankedTensorType type = way.operands[operand->getOperandNumber()];
      inputs.push_back(argument(type ? Type(type) : operand->get().getType()));
    }
    SplitReductionBuilder parts(builder, op, reduction, *way.split);
    parts.partials(inputs);
    RankedTensorType result = way.results[0];
    parts.combine(argument(partialsToCombine(*way.split, result)),
                  argument(result), /*number=*/0);
  }

  Block &operations() { return block; }

private:
  Block block;
};

} // namespace

std::vector<std::vector<RankedTensorType>>
heldBetween(const OperationWay &way) {
  if (!way.split)
    return {};
  const ReductionSplit &split = *way.split;
  std::vector<std::vector<RankedTensorType>> steps;
  if (split.series.size() > 1) {
    auto &joining = steps.emplace_back();
    for (const ReductionSeries &series : split.series)
      joining.push_back(series.type);
    joining.push_back(split.partials);
  }
  steps.push_back({split.partials, partialsToCombine(split, way.results[0])});
  return steps;
}

void OperationWays::addReductionSplits() {
  if (!access || reduction)
    return;
  reduction = matchReduction(op);
  if (!reduction)
    return;
  for (LoopSplit &split : reductionLoopSplits(*access, tiles))
    addInParts(split.what, std::move(split.iterations));
}

bool OperationWays::addReadingParts(unsigned operand, RankedTensorType type) {
  if (!reduction || !isDistributed(type) ||
      !isNewRequest(Request::ReadingParts, operand, type))
    return false;
  std::optional<TileIterations> iterations =
      iterationsInParts(*access, operand, type);
  return iterations &&
         loadOf(*iterations).busiest <= mostExtraWork * leastBusiest &&
         addInParts(fmt::format("in parts as operand #{} lies", operand),
                    std::move(*iterations));
}

bool OperationWays::addInParts(const std::string &what,
                               TileIterations iterations) {
  std::optional<ReductionSplit> found =
      splitReduction(op, *access, std::move(iterations), types.results[0]);
  if (!found)
    return false;
  auto split = std::make_shared<const ReductionSplit>(std::move(*found));
  bool hasParallelLoop = llvm::any_of(
      splits, [](const LoopSplit &each) { return each.loops.size() == 1; });
  bool isNew = false;
  for (const LoopSplit &combined : splits) {
    // Grids cost other splits nothing, and an entry by itself may be combined
    // on one tile.
    bool isOnOneTile = combined.iterations.size() == 1;
    if (combined.loops.size() < 2 && !combined.isVariant &&
        !(isOnOneTile && hasParallelLoop))
      isNew |= addCombined(split, what, combined);
  }
  return isNew;
}

bool OperationWays::addCombined(std::shared_ptr<const ReductionSplit> split,
                                const std::string &what,
                                const LoopSplit &combined) {
  if (waysInParts == manyWaysInParts)
    return false;
  OperationWay way;
  way.what = fmt::format("{}, combined as {}", what, combined.what);
  way.results = resultsOf(combined.iterations, {});
  if (way.results.empty())
    return false;
  way.operands = operandsOf(split->iterations, way.results);
  for (RankedTensorType type : way.operands)
    if (type && !getPlacement(type))
      return false;
  way.split = std::move(split);
  if (seen.contains({way.results, way.operands}) || !measureParts(way) ||
      !offer(std::move(way)))
    return false;
  ++waysInParts;
  return true;
}

bool OperationWays::measureParts(OperationWay &way) {
  PartsProbe probe(cast<linalg::LinalgOp>(op), *reduction, way);
  ModelledCost move = movementCost(
      way.split->partials, partialsToCombine(*way.split, way.results[0]),
      paddingOfPartials(paddingOf(op->getResult(0))), target);
  Count cost{move.cycles};
  for (Operation &each : probe.operations()) {
    std::optional<OpAccess> reads = OpAccess::get(&each);
    if (gatherOf(&each))
      return false;
    cost += Count{operationCost(&each, reads ? &*reads : nullptr,
                                each.getResultTypes(), target)
                      .cycles};
  }
  way.cost = cost.value;
  way.received = move.bytes;
  return move.cycles != Count::most;
}

} // namespace npu
