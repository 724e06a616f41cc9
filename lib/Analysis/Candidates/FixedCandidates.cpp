// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception

#include "FixedCandidates.h"
#include "npu/Analysis/Candidates/FunctionProblem.h"
#include "npu/Analysis/Costs/MovementSide.h"
#include "npu/Assignment/Problem.h"
#include "npu/Dialect/NPU/IR/TensorPadding.h"
#include "npu/Dialect/NPU/IR/TensorPlacement.h"
#include "npu/Interfaces/RematerializableOpInterface.h"
#include "npu/Target/Count.h"

#include "mlir/Dialect/Linalg/IR/Linalg.h"
#include "mlir/Interfaces/CallInterfaces.h"
#include "mlir/Interfaces/ControlFlowInterfaces.h"
#include "mlir/Interfaces/LoopLikeInterface.h"

using namespace mlir;

namespace npu {

/// The numbers that say what is padding.
static std::vector<int64_t> keyOf(std::span<const PaddedRange> padding) {
  std::vector<int64_t> key;
  for (const auto &[dim, range] : padding)
    key.insert(key.end(), {static_cast<int64_t>(dim), range.begin, range.end});
  return key;
}

Padding Movements::paddingFrom(Value value, RankedTensorType from) const {
  bool isForgotten = hasSteps && !isDistributed(from) &&
                     value.getDefiningOp<linalg::LinalgOp>();
  return isForgotten ? Padding() : paddingOf(value);
}

ModelledCost Movements::of(Value value, RankedTensorType from,
                           RankedTensorType to) {
  if (isMadeAnywhere(value))
    return {};
  Padding padding = paddingFrom(value, from);
  auto &known = padding.empty() ? unpadded : padded[keyOf(padding)];
  auto [it, isNew] = known.try_emplace(std::pair<Type, Type>(from, to));
  if (isNew)
    it->second = movementCost(from, to, padding, target);
  return it->second;
}

MoveTable Movements::compute(Value value, ArrayRef<RankedTensorType> layouts,
                             const std::vector<bool> &isMade, int64_t rounds) {
  size_t count = layouts.size();
  MoveTable table{{count, std::vector<int64_t>(count, kImpossible)},
                  {count, std::vector<int64_t>(count, 0)}};
  std::vector<MovementSide> sides(layouts.begin(), layouts.end());
  for (size_t from = 0; from < count; ++from) {
    table.cycles[from][from] = 0;
    if (!isMade[from])
      continue;
    bool isPlain =
        !isMadeAnywhere(value) && paddingFrom(value, layouts[from]).empty();
    for (size_t to = 0; to < count; ++to) {
      if (from == to)
        continue;
      ModelledCost move = isPlain ? movementCost(sides[from], sides[to], target)
                                  : of(value, layouts[from], layouts[to]);
      if (move.cycles != Count::most)
        table.cycles[from][to] = (Count{move.cycles} * Count{rounds}).value;
      bool isBetweenTiles =
          isDistributed(layouts[from]) && isDistributed(layouts[to]);
      int64_t bytes = isBetweenTiles ? move.bytes : move.ddrBytes;
      table.bytes[from][to] = (Count{bytes} * Count{rounds}).value;
    }
  }
  return table;
}

const MoveTable &Movements::between(Value value,
                                    ArrayRef<RankedTensorType> layouts,
                                    const std::vector<bool> &isMade,
                                    int64_t rounds) {
  std::vector<uintptr_t> key{
      static_cast<uintptr_t>(rounds), isMadeAnywhere(value),
      hasSteps && value.getDefiningOp<linalg::LinalgOp>()};
  for (auto [layout, made] : llvm::zip_equal(layouts, isMade)) {
    key.push_back(reinterpret_cast<uintptr_t>(layout.getAsOpaquePointer()));
    key.push_back(made);
  }
  for (int64_t number : keyOf(paddingOf(value)))
    key.push_back(static_cast<uintptr_t>(number));
  auto [it, isNew] = tables.try_emplace(std::move(key));
  if (isNew)
    it->second = compute(value, layouts, isMade, rounds);
  return it->second;
}

static RankedTensorType tensorType(Value value) {
  return dyn_cast<RankedTensorType>(value.getType());
}

bool isFixed(Operation *op) {
  return isa<RegionBranchOpInterface, CallOpInterface>(op) ||
         op->hasTrait<OpTrait::IsTerminator>() ||
         llvm::any_of(op->getResultTypes(), isDistributed);
}

bool isGoneInto(Operation *op) {
  return isa<RegionBranchOpInterface>(op) &&
         !op->hasTrait<OpTrait::HasParallelRegion>();
}

int64_t knownRounds(Block *block) {
  int64_t rounds = 1;
  for (Operation *op = block->getParentOp();
       op && !op->hasTrait<OpTrait::IsIsolatedFromAbove>();
       op = op->getParentOp())
    if (auto loop = dyn_cast<LoopLikeOpInterface>(op))
      if (std::optional<APInt> count = loop.getStaticTripCount())
        rounds =
            (Count{rounds} * Count{static_cast<int64_t>(
                                 count->getLimitedValue(int64_t(1) << 40))})
                .value;
  return rounds;
}

OperationCandidate FixedCandidates::of(Operation *op) {
  OperationCandidate candidate;
  candidate.what = "as it is written";
  for (Value result : op->getResults())
    candidate.results.push_back(tensorType(result));
  for (Value operand : op->getOperands())
    candidate.operands.push_back(keepsIndices(op) ? candidate.results[0]
                                                  : tensorType(operand));
  if (!keepsIndices(op) && question.of(op))
    candidate.cost = costOfHostFallback(op);
  else if (!isGoneInto(op))
    candidate.cost = costInside(op);
  return candidate;
}

/// What is in the regions of an operation that is not gone into runs on the
/// host.
int64_t FixedCandidates::costInside(Operation *op) const {
  Count cost;
  int64_t outside = knownRounds(op->getBlock());
  op->walk([&](Operation *inner) {
    if (inner == op)
      return;
    Count once{
        operationCost(inner, nullptr, inner->getResultTypes(), target).cycles};
    cost += once * Count{knownRounds(inner->getBlock()) /
                         std::max<int64_t>(outside, 1)};
  });
  return cost.value;
}

int64_t FixedCandidates::costOfHostFallback(Operation *op) {
  HostFallbackValues values = hostFallbackValues(op, origins);
  Count cost;
  for (Value value : values.stored) {
    RankedTensorType type = tensorType(value);
    cost += Count{movements.of(value, type, withLayout(type, {})).cycles};
  }
  for (Value value : values.loaded) {
    RankedTensorType type = tensorType(value);
    cost += Count{movements.of(value, withLayout(type, {}), type).cycles};
  }
  return cost.value;
}

} // namespace npu
