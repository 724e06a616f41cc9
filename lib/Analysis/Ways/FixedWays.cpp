// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception

#include "FixedWays.h"
#include "npu/Analysis/Ways/FunctionProblem.h"
#include "npu/Dialect/NPU/IR/TensorPadding.h"
#include "npu/Dialect/NPU/IR/TensorPlacement.h"
#include "npu/Interfaces/RemakeableOpInterface.h"
#include "npu/Target/Count.h"

#include "mlir/Interfaces/CallInterfaces.h"
#include "mlir/Interfaces/ControlFlowInterfaces.h"
#include "mlir/Interfaces/LoopLikeInterface.h"
#include "llvm/ADT/SmallPtrSet.h"

using namespace mlir;

namespace npu {

static RankedTensorType tensorType(Value value) {
  return dyn_cast<RankedTensorType>(value.getType());
}

bool isUniform(Value value) {
  DataNeed need = dataNeedOf(value);
  return need == DataNeed::Unwritten || need == DataNeed::Uniform;
}

bool isMove(Operation *op) {
  return isa<RedistributeOp, DistributionCastOp>(op);
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

ModelledCost Movements::of(Value value, RankedTensorType from,
                           RankedTensorType to) {
  if (isUniform(value))
    return {};
  Padding padding = paddingOf(value);
  if (!padding.empty())
    return movementCost(from, to, padding, target);
  auto [it, isNew] = known.try_emplace(std::pair<Type, Type>(from, to));
  if (isNew)
    it->second = movementCost(from, to, {}, target);
  return it->second;
}

OperationWay FixedWays::of(Operation *op) {
  OperationWay way;
  way.what = "as it is written";
  for (Value result : op->getResults())
    way.results.push_back(tensorType(result));
  for (Value operand : op->getOperands())
    way.operands.push_back(isMove(op) ? way.results[0] : tensorType(operand));
  if (!isMove(op) && question.of(op))
    way.cost = costOfGather(op);
  else if (!isGoneInto(op))
    way.cost = costInside(op);
  return way;
}

/// What is in the regions of an operation that is not gone into runs in DDR.
int64_t FixedWays::costInside(Operation *op) const {
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

/// What it costs to bring the operands of an operation that is done on
/// gathered data to DDR, each once, and its results back.
int64_t FixedWays::costOfGather(Operation *op) {
  Count cost{0};
  llvm::SmallPtrSet<Value, 4> stored;
  for (OpOperand &operand : op->getOpOperands())
    if (isDistributed(operand.get().getType()) &&
        isBroughtToDdr(operand, origins) &&
        stored.insert(operand.get()).second) {
      RankedTensorType type = tensorType(operand.get());
      cost =
          cost +
          Count{movements.of(operand.get(), type, withLayout(type, {})).cycles};
    }
  for (Value result : op->getResults())
    if (isDistributed(result.getType()) && !result.use_empty()) {
      RankedTensorType type = tensorType(result);
      cost =
          cost + Count{movements.of(result, withLayout(type, {}), type).cycles};
    }
  return cost.value;
}

} // namespace npu
