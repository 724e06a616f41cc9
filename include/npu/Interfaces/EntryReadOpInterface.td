// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception

#ifndef NPU_INTERFACES_ENTRYREADOPINTERFACE_TD
#define NPU_INTERFACES_ENTRYREADOPINTERFACE_TD

include "mlir/IR/OpBase.td"

def NPU_EntryReadOpInterface : OpInterface<"EntryReadOpInterface"> {
  let description = [{
    An operation that reads one entry of a tensor, its only result, at a position
    that it is given: tensor.extract. Where the tensor is padded it goes on reading
    real entries, at the positions that these have then.
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
