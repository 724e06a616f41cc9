// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception

#include "OperandNeeds.h"
#include "npu/Analysis/Choices/HoldingLayout.h"

#include "mlir/Dialect/Linalg/IR/Linalg.h"

using namespace mlir;

namespace npu {

std::vector<RankedTensorType> declaredTypes(Operation *op) {
  std::vector<RankedTensorType> types;
  for (Value result : op->getResults())
    types.push_back(rankedType(result));
  return types;
}

bool isTied(Operation *op, unsigned operand) {
  return tiedResult(op->getOpOperand(operand)).has_value();
}

bool wantsOneLayout(Operation *op) {
  return OpTrait::hasElementwiseMappableTraits(op) &&
         !isa<linalg::LinalgOp>(op);
}

OperandNeed needOf(const OpAccess &access, unsigned operand,
                   RankedTensorType type) {
  return {operand, type, !access.reads(operand)};
}

namespace {

bool holds(RankedTensorType type, const std::vector<Box> &reads) {
  const Placement *placement = getPlacement(type);
  for (auto [tile, box] : llvm::enumerate(reads))
    if (!box.isEmpty() &&
        !(placement && placement->memoryOf(tile).contains(box)))
      return false;
  return true;
}

std::vector<OperandNeed> needsOfOneEncoding(Operation *op,
                                            const ComputeChoice &choice,
                                            bool somethingLacks) {
  std::vector<OperandNeed> needs;
  if (!somethingLacks && choice.resultTypes == declaredTypes(op))
    return needs;
  for (OpOperand &operand : op->getOpOperands())
    if (RankedTensorType type = rankedType(operand.get())) {
      auto required = withLayout(type, getLayout(choice.resultTypes[0]));
      if (required != type)
        needs.push_back({operand.getOperandNumber(), required});
    }
  return needs;
}

} // namespace

std::vector<OperandNeed> untiedNeeds(Operation *op, const OpAccess &access,
                                     const TileIterations &iterations,
                                     RankedTensorType like) {
  std::vector<OperandNeed> needs;
  for (OpOperand &operand : op->getOpOperands()) {
    unsigned number = operand.getOperandNumber();
    RankedTensorType type = rankedType(operand.get());
    if (!type || !access.reads(number) || isTied(op, number))
      continue;
    std::vector<Box> reads;
    for (const IterationDomain &iteration : iterations)
      reads.push_back(access.read(number, iteration));
    if (!holds(type, reads))
      needs.push_back({number, typeHolding(type, std::move(reads), like,
                                           access.windowsOver(number))});
  }
  return needs;
}

ComputeChoice choiceFor(Operation *op, const OpAccess &access,
                        MovementCache &movement,
                        const TileIterations &iterations,
                        std::vector<RankedTensorType> resultTypes,
                        RankedTensorType like) {
  ComputeChoice choice;
  choice.resultTypes = std::move(resultTypes);
  for (OpResult result : op->getResults()) {
    RankedTensorType made = choice.resultTypes[result.getResultNumber()];
    choice.resultBytes += movement.bytes(result, made, rankedType(result));
    OpOperand *output = tiedOutput(op, result.getResultNumber());
    if (output && output->get().getType() != made)
      choice.needs.push_back(needOf(access, output->getOperandNumber(), made));
  }
  std::vector<OperandNeed> needs = untiedNeeds(op, access, iterations, like);
  // Most operations of arith and math need equal encodings: where some types
  // change, all become that of the result.
  if (wantsOneLayout(op))
    needs = needsOfOneEncoding(op, choice, !needs.empty());
  llvm::append_range(choice.needs, needs);
  return choice;
}

} // namespace npu
