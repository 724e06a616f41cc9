// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// Candidates that split loops which reduce.

#include "npu/Analysis/Candidates/OperationCandidates.h"
#include "npu/Analysis/Choices/BuildSplitReduction.h"
#include "npu/Analysis/Choices/HostFallback.h"
#include "npu/Analysis/Costs/ModelledCost.h"
#include "npu/Target/Count.h"

#include <fmt/format.h>

using namespace mlir;

namespace npu {
namespace {

/// An operation gets no more candidates in parts than these.
constexpr size_t manyCandidatesInParts = 12;

/// What a candidate in parts becomes, on arguments of a block of its own.
class PartsProbe {
public:
  PartsProbe(linalg::LinalgOp op, const Reduction &reduction,
             const OperationCandidate &candidate) {
    OpBuilder builder(op.getContext());
    builder.setInsertionPointToEnd(&block);
    auto argument = [&](Type type) -> Value {
      return block.addArgument(type, op.getLoc());
    };
    SmallVector<Value> inputs;
    for (OpOperand *operand : op.getDpsInputOperands()) {
      RankedTensorType type = candidate.operands[operand->getOperandNumber()];
      inputs.push_back(argument(type ? Type(type) : operand->get().getType()));
    }
    SplitReductionBuilder parts(builder, op, reduction, *candidate.split);
    parts.partials(inputs);
    RankedTensorType result = candidate.results[0];
    parts.combine(argument(partialsToCombine(*candidate.split, result)),
                  argument(result), /*number=*/0);
  }

  Block &operations() { return block; }

private:
  Block block;
};

} // namespace

std::vector<std::vector<RankedTensorType>>
heldBetween(const OperationCandidate &candidate) {
  if (!candidate.split)
    return {};
  const ReductionSplit &split = *candidate.split;
  std::vector<std::vector<RankedTensorType>> steps;
  if (split.series.size() > 1) {
    auto &joining = steps.emplace_back();
    for (const ReductionSeries &series : split.series)
      joining.push_back(series.type);
    joining.push_back(split.partials);
  }
  steps.push_back(
      {split.partials, partialsToCombine(split, candidate.results[0])});
  return steps;
}

void OperationCandidates::addReductionSplits() {
  if (!access || reduction)
    return;
  reduction = matchReduction(op);
  if (!reduction)
    return;
  for (LoopSplit &split : reductionLoopSplits(*access, tiles))
    addInParts(split.what, std::move(split.iterations));
}

bool OperationCandidates::addReadingParts(unsigned operand,
                                          RankedTensorType type) {
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

bool OperationCandidates::addInParts(const std::string &what,
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

bool OperationCandidates::addCombined(
    std::shared_ptr<const ReductionSplit> split, const std::string &what,
    const LoopSplit &combined) {
  if (candidatesInParts == manyCandidatesInParts)
    return false;
  OperationCandidate candidate;
  candidate.what = fmt::format("{}, combined as {}", what, combined.what);
  candidate.results = resultsOf(combined.iterations, {});
  if (candidate.results.empty())
    return false;
  candidate.operands = operandsOf(split->iterations, candidate.results);
  for (RankedTensorType type : candidate.operands)
    if (type && !getPlacement(type))
      return false;
  candidate.split = std::move(split);
  if (seen.contains({candidate.results, candidate.operands}) ||
      !measureParts(candidate) || !offer(std::move(candidate)))
    return false;
  ++candidatesInParts;
  return true;
}

bool OperationCandidates::measureParts(OperationCandidate &candidate) {
  PartsProbe probe(cast<linalg::LinalgOp>(op), *reduction, candidate);
  ModelledCost move =
      movementCost(candidate.split->partials,
                   partialsToCombine(*candidate.split, candidate.results[0]),
                   paddingOfPartials(paddingOf(op->getResult(0))), target);
  Count cost{move.cycles};
  for (Operation &each : probe.operations()) {
    std::optional<OpAccess> reads = OpAccess::get(&each);
    if (hostFallbackOf(&each))
      return false;
    cost += Count{operationCost(&each, reads ? &*reads : nullptr,
                                each.getResultTypes(), target)
                      .cycles};
  }
  candidate.cost = cost.value;
  candidate.received = move.bytes;
  return move.cycles != Count::most;
}

} // namespace npu
