// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// What an operation's regions may do beside padded tensors, and on padding.

#include "npu/Analysis/InlinableCalls.h"
#include "npu/Analysis/PaddingAnalysis.h"

#include "mlir/IR/Matchers.h"
#include "mlir/Interfaces/SideEffectInterfaces.h"

using namespace mlir;

namespace npu {

/// It does what it did, at the same positions: nothing that is padded is used
/// but by reads of one entry.
bool PaddingAnalysis::readsAsWritten(Operation *op) const {
  if (prompt.length || lengthOfTypes ||
      llvm::any_of(op->getResults(),
                   [&](Value result) { return isPadded(of(result)); }))
    return false;
  return !op->walk([&](Operation *inner) {
              return !isa<tensor::ExtractOp>(inner) &&
                             llvm::any_of(inner->getOperands(),
                                          [&](Value value) {
                                            return isPadded(of(value));
                                          })
                         ? WalkResult::interrupt()
                         : WalkResult::advance();
            }).wasInterrupted();
}

/// What a structured operation's body does on padding must come to an end, be
/// seen by nobody, and read no padded tensor but by position.
MaybeRefused PaddingAnalysis::refuseBody(Operation *op) {
  MaybeRefused why;
  op->walk([&](Operation *inner) {
    if (inner == op || inner->hasTrait<OpTrait::IsTerminator>())
      return WalkResult::advance();
    std::string name = inner->getName().getStringRef().str();
    for (Value value : inner->getOperands())
      if (!isa<tensor::ExtractOp>(inner) && isPadded(of(value)))
        why = Refusal("'" + name + "' in its body uses {} with its padding",
                      value);
    auto loop = dyn_cast<scf::ForOp>(inner);
    bool byData =
        loop &&
        llvm::any_of(ValueRange{loop.getLowerBound(), loop.getUpperBound(),
                                loop.getStep()},
                     [&](Value bound) {
                       return !matchPattern(bound, m_Constant()) &&
                              op->isAncestor(
                                  bound.getParentBlock()->getParentOp());
                     });
    if (isa<CallOpInterface>(inner))
      why = Refusal("in its body, " +
                    (prompt.length ? "a call" : whyNotInlined(inner)));
    else if (byData || isa<scf::WhileOp>(inner))
      why = Refusal("'" + name +
                    "' in its body repeats as often as data say, and padding "
                    "may say forever");
    else if (!isMemoryEffectFree(inner))
      why = Refusal("'" + name + "' in its body has effects, on padding too");
    return why ? WalkResult::interrupt() : WalkResult::advance();
  });
  return why;
}

} // namespace npu
