// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception

#include "npu/Analysis/Choices/ComputeChoices.h"
#include "EnumerateChoices.h"
#include "OperandNeeds.h"

#include "mlir/Dialect/Linalg/IR/Linalg.h"
#include "mlir/Interfaces/CallInterfaces.h"
#include "mlir/Interfaces/ControlFlowInterfaces.h"
#include "mlir/Interfaces/FunctionInterfaces.h"
#include "mlir/Interfaces/SideEffectInterfaces.h"

using namespace mlir;

namespace npu {

llvm::SmallSetVector<std::pair<Value, RankedTensorType>, 4>
valuesNeeded(Operation *op, const ComputeChoice &choice) {
  llvm::SmallSetVector<std::pair<Value, RankedTensorType>, 4> values;
  for (const OperandNeed &need : choice.needs)
    if (!need.unread)
      values.insert({op->getOperand(need.operand), need.type});
  return values;
}

bool touchesTiles(Operation *op) {
  return llvm::any_of(op->getResultTypes(), isDistributed) ||
         llvm::any_of(op->getOperandTypes(), isDistributed);
}

bool agreesByItself(Operation *op) {
  return isa<DistributionCastOp, RedistributeOp, CallOpInterface,
             RegionBranchOpInterface, FunctionOpInterface>(op) ||
         op->hasTrait<OpTrait::IsTerminator>();
}

/// Appends what stands for all attributes and properties of `op`.
static void appendAttributes(ComputeChoices::Key &key, Operation *op) {
  // Operations of the linalg dialect have no properties but attributes and the
  // number of their inputs and outputs, which follows from the numbers of
  // operands and results. A dictionary of them would be made anew for every
  // question.
  if (!isa_and_nonnull<linalg::LinalgDialect>(op->getDialect())) {
    key.push_back(op->getAttrDictionary().getAsOpaquePointer());
    return;
  }
  key.push_back(op->getDiscardableAttrDictionary().getAsOpaquePointer());
  for (StringAttr name : op->getName().getAttributeNames())
    if (name != "operandSegmentSizes")
      key.push_back(
          op->getInherentAttr(name).value_or(Attribute()).getAsOpaquePointer());
}

ComputeChoices::Key ComputeChoices::keyOf(Operation *op) {
  Key key{op->getName().getAsOpaquePointer()};
  appendAttributes(key, op);
  for (Type type : op->getOperandTypes())
    key.push_back(type.getAsOpaquePointer());
  for (Type type : op->getResultTypes())
    key.push_back(type.getAsOpaquePointer());
  // The region of a generic determines which operands are read. The key has the
  // other facts that determine this (the map, the extents of loops) already;
  // upstream makes maps anew whenever they are asked for.
  static constexpr char isRead[2] = {};
  if (auto structured = dyn_cast<linalg::LinalgOp>(op))
    for (OpOperand &operand : op->getOpOperands())
      key.push_back(&isRead[structured.payloadUsesValueFromOperand(&operand)]);
  return key;
}

const std::vector<ComputeChoice> &ComputeChoices::of(Operation *op) {
  auto [it, isNew] = choices.try_emplace(keyOf(op));
  if (isNew && touchesTiles(op))
    if (std::optional<OpAccess> access = OpAccess::get(op))
      it->second = enumerateChoices(op, *access, movement);
  return it->second;
}

const std::optional<ComputeChoice> &
ComputeChoices::recomputedAs(Operation *op, RankedTensorType type) {
  Key key = keyOf(op);
  key.push_back(type.getAsOpaquePointer());
  auto [it, isNew] = recomputed.try_emplace(std::move(key));
  if (!isNew || op->getNumResults() != 1 || !isMemoryEffectFree(op) ||
      !isDistributed(type) ||
      getOrder(type) != getOrder(rankedType(op->getResult(0))))
    return it->second;
  std::optional<OpAccess> access = OpAccess::get(op);
  if (!access || !access->isParallel() || !getPlacement(type))
    return it->second;
  TileIterations iterations = iterationsForMemory(*access, TypeRange(type));
  if (findOverrun(*access, op, iterations, type))
    return it->second;
  ComputeChoice choice =
      choiceFor(op, *access, movement, iterations, {type}, type);
  choice.resultBytes = 0;
  return it->second = std::move(choice);
}

} // namespace npu
