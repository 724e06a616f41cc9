// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// The default model of PaddingOpInterface, by upstream's traits.

#include "Defaults.h"
#include "npu/Interfaces/HarmlessOperands.h"
#include "npu/Interfaces/PaddingOpInterface.h"

#include "mlir/IR/TypeUtilities.h"

using namespace mlir;

namespace npu {
namespace {

/// The model of elementwise operations, which compute each entry from the
/// entries of operands at the same position: the padding of one operand is that
/// of all, and of results.
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
    // A divisor in padding may be 0, or -1 beside the smallest number of the
    // type.
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
