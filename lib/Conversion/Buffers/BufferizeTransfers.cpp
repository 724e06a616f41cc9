// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// The model of BufferizableOpInterface for transfers: a transfer reads a part
// of its source and writes a part of each destination, in place where possible.

#include "BufferizeTransfers.h"

#include "npu/Dialect/NPU/IR/NPUDialect.h"

#include "mlir/Dialect/Bufferization/IR/Bufferization.h"
#include "mlir/Dialect/Bufferization/IR/DstBufferizableOpInterfaceImpl.h"
#include "mlir/Interfaces/ControlFlowInterfaces.h"

using namespace mlir;

namespace npu {
namespace {

/// The number of a destination; nothing for the source.
std::optional<unsigned> destOf(TransferOp transfer, OpOperand &operand) {
  unsigned number = operand.getOperandNumber();
  return number == 0 ? std::nullopt : std::optional(number - 1);
}

/// The only use of a value, if that is as destination of a transfer of the same
/// block; else null.
OpOperand *onlyDestination(Value value) {
  if (!value.hasOneUse())
    return nullptr;
  OpOperand &use = *value.use_begin();
  auto transfer = dyn_cast<TransferOp>(use.getOwner());
  return transfer && transfer->getBlock() == value.getParentBlock() &&
                 destOf(transfer, use)
             ? &use
             : nullptr;
}

/// Whether a value is a new tensor that operations of this block write one
/// after the other, each of which is the only user of the tensor before it.
bool isNewAndOwned(Value value) {
  Block *block = value.getParentBlock();
  while (value.hasOneUse() && value.getParentBlock() == block) {
    if (auto alloc = value.getDefiningOp<bufferization::AllocTensorOp>())
      return !alloc.getCopy();
    auto written = value.getDefiningOp<DestinationStyleOpInterface>();
    if (!written)
      return false;
    value = written.getTiedOpOperand(cast<OpResult>(value))->get();
  }
  return false;
}

/// Whether a loop or a branch hands a value on. Upstream takes the buffers of
/// all values that are handed on as one value for the same buffer.
bool isHandedOn(Value value) {
  return llvm::any_of(value.getUsers(), [](Operation *user) {
    return user->hasTrait<OpTrait::IsTerminator>() ||
           isa<RegionBranchOpInterface>(user);
  });
}

/// Whether a destination is inside a chain of transfers that put one new tensor
/// together: this transfer is the only user of the destination, and the next
/// one is the only user of its result.
bool isInsideChain(TransferOp transfer, OpOperand &dest) {
  Value made = transfer.getResult(*destOf(transfer, dest));
  if (!onlyDestination(made) || !isNewAndOwned(dest.get()))
    return false;
  while (OpOperand *next = onlyDestination(made))
    made = cast<TransferOp>(next->getOwner()).getTiedOpResult(next);
  return !isHandedOn(made);
}

struct TransferModel
    : bufferization::DstBufferizableOpInterfaceExternalModel<TransferModel,
                                                             TransferOp> {
  /// A destination is read where a part of it is kept that a copy would have to
  /// bring along. Inside a chain there is no copy.
  bool bufferizesToMemoryRead(Operation *op, OpOperand &operand,
                              const bufferization::AnalysisState &) const {
    auto transfer = cast<TransferOp>(op);
    if (!destOf(transfer, operand))
      return true;
    bool isWhole =
        llvm::equal(transfer.getDestSizes(),
                    cast<ShapedType>(operand.get().getType()).getShape());
    return !isWhole && !isInsideChain(transfer, operand);
  }

  /// A tile's part is put together by as many transfers as there are senders.
  /// Upstream's analysis compares all reads with all writes of such a chain at
  /// each of its links. Links inside the chain that read nothing and are in
  /// place leave it nothing to compare. The analysis decides about the last
  /// link, whose result has other users.
  bool mustBufferizeInPlace(Operation *op, OpOperand &operand,
                            const bufferization::AnalysisState &) const {
    auto transfer = cast<TransferOp>(op);
    return destOf(transfer, operand) && isInsideChain(transfer, operand);
  }

  LogicalResult bufferize(Operation *op, RewriterBase &rewriter,
                          const bufferization::BufferizationOptions &options,
                          bufferization::BufferizationState &state) const {
    auto transfer = cast<TransferOp>(op);
    if (transfer.hasPureBufferSemantics())
      return success();
    FailureOr<Value> source = bufferization::getBuffer(
        rewriter, transfer.getSource(), options, state);
    if (failed(source))
      return failure();
    SmallVector<Value> buffers = {*source};
    for (Value dest : transfer.getDests()) {
      FailureOr<Value> buffer =
          bufferization::getBuffer(rewriter, dest, options, state);
      if (failed(buffer))
        return failure();
      buffers.push_back(*buffer);
    }
    TransferOp::create(rewriter, transfer.getLoc(), TypeRange(), buffers,
                       op->getAttrs());
    bufferization::replaceOpWithBufferizedValues(
        rewriter, op, ArrayRef<Value>(buffers).drop_front());
    return success();
  }
};

} // namespace

void registerTransferBufferization(DialectRegistry &registry) {
  registry.addExtension(+[](MLIRContext *context, NPUDialect *) {
    TransferOp::attachInterface<TransferModel>(*context);
  });
}

} // namespace npu
