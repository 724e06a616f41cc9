// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception

#ifndef NPU_INTERFACES_WORKOPINTERFACE_TD
#define NPU_INTERFACES_WORKOPINTERFACE_TD

include "mlir/IR/OpBase.td"

def NPU_WorkOpInterface : OpInterface<"WorkOpInterface"> {
  let description = [{
    What a vector engine does where it runs an operation, so that the operation has
    a cost (docs/costs.md). The work of operations with LinalgOp and of elementwise
    ones is known from their bodies; any other without a model counts as a copy of
    what its iterations write. No default model.
  }];
  let cppNamespace = "::npu";
  let methods = [
    InterfaceMethod<[{
        The steps for each element, by kind; none for a copy.
      }],
      "::npu::VectorBody", "getVectorBody", (ins), "",
      [{ return ::npu::VectorBody(); }]>,
    InterfaceMethod<[{
        The number of a tensor operand whose entries are the elements: a tile does
        the steps once for each entry that it reads of it. Nothing where the
        elements are the iterations of the operation's access.
      }],
      "std::optional<unsigned>", "getElementOperand", (ins), "",
      [{ return std::nullopt; }]>,
    InterfaceMethod<[{
        Whether the elements are the entries of result 0 that the iterations
        produce, because the loops that reduce say what is addressed, and not what
        is read: a gather.
      }],
      "bool", "countsResults", (ins), "", [{ return false; }]>,
    InterfaceMethod<[{
        For each dimension of the only result, how many zeros the operation adds at
        the low and at the high end of an operand, which is in between. Empty where
        it does anything else, and where the numbers are not known.
      }],
      "::npu::AddedZeros", "getAddedZeros", (ins), "",
      [{ return {}; }]>
  ];
}

#endif // NPU_INTERFACES_WORKOPINTERFACE_TD
