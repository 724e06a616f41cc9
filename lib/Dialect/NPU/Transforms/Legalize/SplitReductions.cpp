// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception

#include "SplitReductions.h"

using namespace mlir;

namespace npu {

double ReductionSplitter::costOf(Operation *op, const Plan &plan) {
  Value result = op->getResult(0);
  int64_t bytes = movement.bytes(result, plan.combined, rankedType(result));
  bytes +=
      movement.bytes(paddingOfPartials(paddingOf(result)), plan.split.partials,
                     partialsToCombine(plan.split, plan.combined));
  double cost = roundsOf(op->getBlock()) * static_cast<double>(bytes);
  Value init = tiedOutput(op, 0)->get();
  if (init.getType() != plan.combined)
    cost += materializer.cost(init, plan.combined);
  for (const OperandNeed &need : plan.split.needs)
    cost += materializer.cost(op->getOperand(need.operand), need.type);
  return cost;
}

std::optional<ReductionSplitter::Plan>
ReductionSplitter::cheapest(Operation *op) {
  // Ask first whether the operation is a reduction, because its access takes
  // longer to compute.
  std::optional<Reduction> reduction = matchReduction(op);
  if (!reduction)
    return std::nullopt;
  std::optional<OpAccess> access = OpAccess::get(op);
  if (!access)
    return std::nullopt;
  std::optional<Plan> best;
  for (ReductionSplit &split : reductionSplits(op, *access))
    for (RankedTensorType type : combiningTypes(
             rankedType(op->getResult(0)), int64_t(split.iterations.size()))) {
      Plan plan{*reduction, split, type, 0};
      plan.cost = costOf(op, plan);
      if (!best || plan.cost < best->cost)
        best = std::move(plan);
    }
  return best;
}

SmallVector<Operation *> ReductionSplitter::apply(Operation *op,
                                                  const Plan &plan) {
  auto structured = cast<linalg::LinalgOp>(op);
  SmallVector<Value> sources(op->getOperands());
  for (const OperandNeed &need : plan.split.needs)
    sources[need.operand] =
        materializer.materialize(sources[need.operand], need.type, op);
  Value accumulator =
      materializer.materialize(tiedOutput(op, 0)->get(), plan.combined, op);
  // All new operations stand between `before` and `op`.
  Operation *before = op->getPrevNode();
  builder.setInsertionPoint(op);
  SplitReductionBuilder parts(builder, structured, plan.reduction, plan.split);
  Value made = parts.partials(ArrayRef<Value>(sources).drop_back());
  linalg::GenericOp sum = parts.combine(made, accumulator, numbers.of(op));
  // Moves all partial results to where they are combined.
  sum->setOperand(0,
                  materializer.materialize(
                      made, partialsToCombine(plan.split, plan.combined), sum));
  Value declared = materializer.materialize(sum.getResult(0),
                                            rankedType(op->getResult(0)), op);
  op->replaceAllUsesWith(ValueRange{declared});
  SmallVector<Operation *> created;
  Operation *first = before ? before->getNextNode() : &op->getBlock()->front();
  for (Operation *each = first; each != op; each = each->getNextNode())
    if (touchesTiles(each))
      created.push_back(each);
  return created;
}

} // namespace npu
