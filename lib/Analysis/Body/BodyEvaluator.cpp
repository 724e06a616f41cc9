// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception

#include "BodyEvaluator.h"
#include "npu/Interfaces/EntryReadOpInterface.h"
#include "npu/Interfaces/ModelOf.h"
#include "npu/Interfaces/ScalarOpInterface.h"

#include "mlir/IR/Matchers.h"
#include "mlir/Interfaces/SideEffectInterfaces.h"

using namespace mlir;

namespace npu {

/// The outcome that a condition always has, in both executions.
static std::optional<bool> outcomeOf(const PairFact &condition) {
  for (unsigned outcome : {0, 1})
    if (condition.leftBits() == 1u << outcome &&
        condition.rightBits() == 1u << outcome)
      return outcome != 0;
  return std::nullopt;
}

PairFact BodyEvaluator::valueOf(Value value) {
  if (auto it = known.find(value); it != known.end())
    return it->second;
  PairFact result = compute(value);
  known.insert({value, result});
  return result;
}

PairFact BodyEvaluator::compute(Value value) {
  TypedAttr constant;
  if (matchPattern(value, m_Constant(&constant)))
    return PairFact::constant(constant);
  if (auto argument = dyn_cast<BlockArgument>(value);
      argument && argument.getOwner() == op.getBlock())
    return question.argument(argument);
  if (auto position = question.position(value))
    return *position;
  if (!op->isProperAncestor(value.getParentBlock()->getParentOp()) &&
      value.getParentBlock() != op.getBlock())
    return question.outside(value);
  if (auto result = dyn_cast<OpResult>(value))
    return ofOperation(result);
  // The value is an argument of a nested region.
  question.sawUnknown(value.getParentBlock()->getParentOp());
  return PairFact::anything(value.getType());
}

PairFact BodyEvaluator::ofOperation(OpResult value) {
  Operation *def = value.getOwner();
  if (auto compare = dyn_cast<arith::CmpIOp>(def))
    if (auto outcome = question.comparison(compare))
      return *outcome;
  if (auto choice = dyn_cast<scf::IfOp>(def); choice && isMemoryEffectFree(def))
    return ofChoice(choice, value.getResultNumber());
  if (def->getNumRegions() != 0 || def->getNumResults() != 1 ||
      !isMemoryEffectFree(def)) {
    question.sawUnknown(def);
    return PairFact::anything(value.getType());
  }
  // Evaluate only the operand that is selected, if the condition is known.
  if (auto select = dyn_cast<arith::SelectOp>(def)) {
    if (std::optional<bool> taken = outcomeOf(valueOf(select.getCondition())))
      return valueOf(*taken ? select.getTrueValue() : select.getFalseValue());
  }
  SmallVector<PairFact> operands;
  for (OpOperand &operand : def->getOpOperands())
    operands.push_back(question.operand(operand, valueOf(operand.get())));
  PairFact result = transfer(def, operands, question.optionsOf(def));
  auto read = modelOf<EntryReadOpInterface>(def);
  if (read && result.isSame() && !result.leftConstant())
    result = PairFact::same(value.getType(),
                            question.entriesOf(read.getReadTensor().get()));
  question.saw(def, operands, result);
  return result;
}

PairFact BodyEvaluator::ofChoice(scf::IfOp choice, unsigned number) {
  if (std::optional<bool> taken = outcomeOf(valueOf(choice.getCondition())))
    return valueOf(
        (*taken ? choice.thenYield() : choice.elseYield()).getOperand(number));
  return selected(valueOf(choice.getCondition()),
                  valueOf(choice.thenYield().getOperand(number)),
                  valueOf(choice.elseYield().getOperand(number)));
}

} // namespace npu
