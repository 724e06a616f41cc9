// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// What becomes of padding in an operation, where upstream's traits say it.

#include "Defaults.h"
#include "npu/Interfaces/HarmlessOperands.h"
#include "npu/Interfaces/PaddingOpInterface.h"

using namespace mlir;

namespace npu {
namespace {

/// Each entry is computed of the same entries of operands: what is padding in
/// one of them is in all, and in results.
struct ElementwisePadding
    : PaddingOpInterface::FallbackModel<ElementwisePadding> {
  MaybeRefused transferPadding(Operation *op, PaddingTransfer &transfer) const {
    if (op->getNumRegions() != 0 || op->getNumResults() == 0 ||
        !isa<RankedTensorType>(op->getResult(0).getType()))
      return unknownPaddingTransfer();
    PaddingState loops;
    for (OpOperand &operand : op->getOpOperands()) {
      const PaddingState &state = transfer.of(operand.get());
      loops.resize(std::max(loops.size(), state.size()));
      for (auto [dim, padded] : llvm::enumerate(state))
        if (padded)
          if (MaybeRefused why =
                  joinLoop(op, dim, *padded, operand.getOperandNumber(), loops))
            return why;
    }
    // A divisor in padding may be 0, or -1 of the smallest number there is.
    if (hasHarmlessOperand(op))
      return Refusal("an integer division of padding can trap; as a "
                     "linalg.generic it can be guarded "
                     "(convert-elementwise-to-linalg)");
    for (Value operand : op->getOperands())
      if (MaybeRefused why = transfer.refusePartly(operand, loops)) {
        why->way = Refusal::WorkOnRealPart;
        return why;
      }
    for (auto &dim : loops)
      if (dim)
        dim->content = {};
    for (Value result : op->getResults())
      transfer.setResult(result, loops);
    return std::nullopt;
  }

  SmallVector<Value> pad(Operation *op, PaddedOperands &operands) const {
    return cloneOnPadded(op, operands, &operands.of(op->getResult(0)));
  }

  SmallVector<AffineExpr> realExtents(Operation *op,
                                      const PaddingTransfer &transfer) const {
    if (op->getNumRegions() == 0 && op->getNumResults() == 1)
      for (Value operand : op->getOperands())
        if (isPadded(transfer.of(operand)))
          return transfer.realExtents(operand);
    return {};
  }

  Value entryAt(Operation *op, EntryReader &reader, ArrayRef<Value>) const {
    SmallVector<Value> entries =
        llvm::map_to_vector(op->getOperands(), [&](Value operand) {
          return isa<RankedTensorType>(operand.getType())
                     ? reader.inPlace(operand)
                     : operand;
        });
    OperationState state(op->getLoc(), op->getName(), entries,
                         getElementTypeOrSelf(op->getResult(0).getType()),
                         op->getAttrs());
    return reader.getBuilder().create(state)->getResult(0);
  }

  bool makesEntries(Operation *) const { return false; }
};

} // namespace

void attachPaddingDefault(RegisteredOperationName name) {
  if (isElementwise(name))
    name.attachInterface<ElementwisePadding>();
}

} // namespace npu
