// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// What the regions of operations may do with padded tensors, and at padded
// positions.

#include "npu/Analysis/Padding/InlinableCalls.h"
#include "npu/Analysis/Padding/PaddingAnalysis.h"
#include "npu/Interfaces/EntryReadOpInterface.h"
#include "npu/Interfaces/ModelOf.h"

#include "mlir/Dialect/SCF/IR/SCF.h"
#include "mlir/IR/Matchers.h"
#include "mlir/Interfaces/DestinationStyleOpInterface.h"
#include "mlir/Interfaces/SideEffectInterfaces.h"
#include "mlir/Interfaces/ViewLikeInterface.h"

using namespace mlir;

namespace npu {

/// A padded tensor that the operation uses otherwise than by reading one entry;
/// null where there is none.
static Value usesWithPadding(Operation *op, const PaddingAnalysis &analysis) {
  auto read = modelOf<EntryReadOpInterface>(op);
  for (OpOperand &operand : op->getOpOperands())
    if (isPadded(analysis.of(operand.get())) &&
        (!read || &read.getReadTensor() != &operand))
      return operand.get();
  return {};
}

/// The operation needs no rewriting where it uses padded tensors only by reads
/// of single entries.
bool PaddingAnalysis::readsAsWritten(Operation *op) const {
  if (prompt.length || lengthOfTypes ||
      llvm::any_of(op->getResults(),
                   [&](Value result) { return isPadded(of(result)); }))
    return false;
  return !op->walk([&](Operation *inner) {
              return usesWithPadding(inner, *this) ? WalkResult::interrupt()
                                                   : WalkResult::advance();
            }).wasInterrupted();
}

/// Whether the body of `op` computes the scalar `value`.
static bool isComputedIn(Operation *op, Value value) {
  return value.getType().isIntOrIndex() && !matchPattern(value, m_Constant()) &&
         op->isAncestor(value.getParentBlock()->getParentOp());
}

/// Whether `inner` is a loop in the body of `op` whose number of iterations the
/// body computes.
static bool repeatsByData(Operation *inner, Operation *op) {
  auto isComputed = [&](Value value) { return isComputedIn(op, value); };
  if (isa<scf::WhileOp>(inner))
    return true;
  if (isa<scf::IfOp, scf::IndexSwitchOp>(inner))
    return false;
  // A value that a loop carries may be data.
  if (auto loop = dyn_cast<scf::ForOp>(inner))
    return llvm::any_of(
        ValueRange{loop.getLowerBound(), loop.getUpperBound(), loop.getStep()},
        isComputed);
  return inner->getNumRegions() != 0 &&
         llvm::any_of(inner->getOperands(), isComputed);
}

/// Whether `inner` makes a tensor, or writes a slice, whose number of entries
/// the body of `op` computes.
static bool growsByData(Operation *inner, Operation *op) {
  auto isComputed = [&](Value value) { return isComputedIn(op, value); };
  if (auto slice = dyn_cast<OffsetSizeAndStrideOpInterface>(inner))
    return llvm::any_of(slice.getSizes(), isComputed);
  // The result has as many entries as its destination, whatever part is
  // written.
  if (isa<DestinationStyleOpInterface>(inner))
    return false;
  bool grows = llvm::any_of(inner->getResultTypes(), [](Type type) {
    auto shaped = dyn_cast<ShapedType>(type);
    return shaped && !shaped.hasStaticShape();
  });
  return grows && llvm::any_of(inner->getOperands(), isComputed);
}

/// Refuses a structured operation whose body, run on padding, might not end,
/// has effects, or uses a padded tensor otherwise than by position.
MaybeRefused PaddingAnalysis::refuseBody(Operation *op) {
  MaybeRefused why;
  op->walk([&](Operation *inner) {
    if (inner == op || inner->hasTrait<OpTrait::IsTerminator>())
      return WalkResult::advance();
    std::string name = inner->getName().getStringRef().str();
    if (Value value = usesWithPadding(inner, *this))
      why =
          Refusal("'" + name + "' in its body uses {} with its padding", value);
    if (isa<CallOpInterface>(inner))
      why = Refusal("in its body, " +
                    (prompt.length ? "a call" : whyNotInlined(inner)));
    else if (repeatsByData(inner, op))
      why = Refusal("'" + name +
                    "' in its body repeats as often as data say, and padding "
                    "may say forever");
    else if (growsByData(inner, op))
      why = Refusal("'" + name +
                    "' in its body is of as many entries as data say, and "
                    "padding may say any number");
    else if (!isMemoryEffectFree(inner))
      why = Refusal("'" + name + "' in its body has effects, on padding too");
    return why ? WalkResult::interrupt() : WalkResult::advance();
  });
  return why;
}

} // namespace npu
