// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception

#ifndef NPU_INTERFACES_ENTRYREADOPINTERFACE_TD
#define NPU_INTERFACES_ENTRYREADOPINTERFACE_TD

include "mlir/IR/OpBase.td"

def NPU_EntryReadOpInterface : OpInterface<"EntryReadOpInterface"> {
  let description = [{
    An operation like tensor.extract, whose only result is the entry of a tensor
    at a position that operands give. Where the tensor is padded, the positions
    are rewritten to those that the real entries have among the padding.
  }];
  let cppNamespace = "::npu";
  let methods = [
    InterfaceMethod<[{ The tensor, whose rank is the number of positions. }],
      "::mlir::OpOperand &", "getReadTensor">,
    InterfaceMethod<[{
        The position: an index for each dimension, counted from 0.
      }],
      "::mlir::MutableOperandRange", "getReadPosition">
  ];
}

#endif // NPU_INTERFACES_ENTRYREADOPINTERFACE_TD
