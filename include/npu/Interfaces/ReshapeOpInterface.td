// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception

#ifndef NPU_INTERFACES_RESHAPEOPINTERFACE_TD
#define NPU_INTERFACES_RESHAPEOPINTERFACE_TD

include "mlir/IR/OpBase.td"

def NPU_ReshapeOpInterface : OpInterface<"ReshapeOpInterface"> {
  let description = [{
    An operation whose only result has the entries of an operand, all of them, in
    the same order with the last dimension fastest, under another shape. A
    softmax is recognized through it where a dimension of extent 1 comes or goes
    between the largest of a row and its use.
  }];
  let cppNamespace = "::npu";
  let methods = [
    InterfaceMethod<"The operand that is given another shape, a ranked tensor.",
      "::mlir::Value", "getReshaped", (ins), "",
      [{ return $_op->getOperand(0); }]>
  ];
}

#endif // NPU_INTERFACES_RESHAPEOPINTERFACE_TD
