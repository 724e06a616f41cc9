// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception

#ifndef NPU_INTERFACES_PADDINGOPINTERFACE_TD
#define NPU_INTERFACES_PADDINGOPINTERFACE_TD

include "mlir/IR/OpBase.td"

def NPU_PaddingOpInterface : OpInterface<"PaddingOpInterface"> {
  let description = [{
    What an operation on ranked tensors does with padding, once prompt dimensions
    have been given a static extent, and how it is written on operands that have
    it, so that no bit of a real entry changes. Numbers are in entries of logical
    dimensions.

    Operations with LinalgOp are understood by their maps and bodies, and are not
    asked; elementwise ones get a model by default. An operation without a model
    works on real parts where the prompt length is known, and is refused where it
    is not.

    Example: third.reverse turns a tensor around in one dimension. A hole after
    the real entries is in front of them afterwards.

        struct ReversePadding
            : PaddingOpInterface::ExternalModel<ReversePadding, ReverseOp> {
          MaybeRefused transferPadding(Operation *op,
                                       PaddingTransfer &transfer) const {
            PaddingState state = transfer.of(op->getOperand(0));
            if (auto &dim = state[cast<ReverseOp>(op).getDim()])
              dim->hole = simplified(dim->real - dim->hole);
            transfer.setResult(op->getResult(0), state);
            return std::nullopt;
          }
        };

    The model need not say more: by default the operation is cloned on its
    padded operand.
  }];
  let cppNamespace = "::npu";
  let methods = [
    InterfaceMethod<[{
        Sets the padding of each result, or says why it cannot. It is asked
        where a tensor that the operation uses is padded, or seen through.
        Padding of a result must stand in one hole per dimension, and its other
        entries be the real ones, in their order; what is said of its content
        must hold for every input.
      }],
      "::npu::MaybeRefused", "transferPadding",
      (ins "::npu::PaddingTransfer &":$transfer), "",
      [{ return ::npu::unknownPaddingTransfer(); }]>,
    InterfaceMethod<[{
        Rewrites the operation to padded operands. Gives one value per result,
        of its padded type, with its real entries where transferPadding has put
        them. `operands` has the builder.
      }],
      "::llvm::SmallVector<::mlir::Value>", "pad",
      (ins "::npu::PaddedOperands &":$operands), "",
      [{ return ::npu::cloneOnPadded($_op.getOperation(), operands); }]>,
    InterfaceMethod<[{
        How many real entries each dimension of the only result has; null for a
        dimension whose number does not follow from the prompt length. Empty for
        an operation whose model has no entryAt.
      }],
      "::llvm::SmallVector<::mlir::AffineExpr>", "realExtents",
      (ins "const ::npu::PaddingTransfer &":$transfer), "", [{ return {}; }]>,
    InterfaceMethod<[{
        Builds the code that computes the entry of the result at `position`, an
        index per dimension, from entries of the operands, with the builder of
        `reader`. Where transferPadding refuses and there are realExtents, the
        result is computed entry by entry, without padding.
      }],
      "::mlir::Value", "entryAt",
      (ins "::npu::EntryReader &":$reader,
           "::llvm::ArrayRef<::mlir::Value>":$position), "",
      [{ return ::mlir::Value(); }]>,
    InterfaceMethod<[{
        Whether the result has entries that no operand has, as many as an index
        operand says: tensor.empty, tensor.pad. Where that index follows from
        the prompt length, transferPadding is asked even if no operand is
        padded.
      }],
      "bool", "makesEntries", (ins), "", [{ return false; }]>
  ];
}

#endif // NPU_INTERFACES_PADDINGOPINTERFACE_TD
