// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// How upstream's bufferization sees a transfer: it reads a part of its source
// and writes a part of each destination, in place where it may.

#include "BufferizeTransfers.h"

#include "npu/Dialect/NPU/IR/NPUDialect.h"

#include "mlir/Dialect/Bufferization/IR/Bufferization.h"
#include "mlir/Dialect/Bufferization/IR/DstBufferizableOpInterfaceImpl.h"

using namespace mlir;

namespace npu {
namespace {

/// The number of a destination, nothing for the source.
std::optional<unsigned> destOf(TransferOp transfer, OpOperand &operand) {
  unsigned number = operand.getOperandNumber();
  return number == 0 ? std::nullopt : std::optional(number - 1);
}

/// Whether a destination is a buffer that only this transfer can see: what a
/// transfer before it in a chain wrote into, or new and empty. It is written
/// over whatever the analysis finds, because whether the chain may have the
/// buffer is decided where the chain begins.
bool isOwnedByChain(OpOperand &dest) {
  Value value = dest.get();
  auto alloc = value.getDefiningOp<bufferization::AllocTensorOp>();
  return value.hasOneUse() &&
         (value.getDefiningOp<TransferOp>() || (alloc && !alloc.getCopy())) &&
         value.getParentBlock() == dest.getOwner()->getBlock();
}

struct TransferModel
    : bufferization::DstBufferizableOpInterfaceExternalModel<TransferModel,
                                                             TransferOp> {
  /// A destination is read where something of it stays that a copy would have
  /// to bring along.
  bool bufferizesToMemoryRead(Operation *op, OpOperand &operand,
                              const bufferization::AnalysisState &) const {
    auto transfer = cast<TransferOp>(op);
    if (!destOf(transfer, operand))
      return true;
    bool isWhole =
        llvm::equal(transfer.getDestSizes(),
                    cast<ShapedType>(operand.get().getType()).getShape());
    return !isWhole && !isOwnedByChain(operand);
  }

  /// A tile's part is put together by as many transfers as there are senders.
  /// Upstream's analysis compares all reads and all writes of such a chain with
  /// each other at each of its links. Links that read nothing and are in place
  /// leave it with nothing to compare.
  bool mustBufferizeInPlace(Operation *op, OpOperand &operand,
                            const bufferization::AnalysisState &) const {
    return destOf(cast<TransferOp>(op), operand) && isOwnedByChain(operand);
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
