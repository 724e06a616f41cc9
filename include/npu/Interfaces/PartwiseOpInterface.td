// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception

#ifndef NPU_INTERFACES_PARTWISEOPINTERFACE_TD
#define NPU_INTERFACES_PARTWISEOPINTERFACE_TD

include "mlir/IR/OpBase.td"

def NPU_PartwiseOpInterface : OpInterface<"PartwiseOpInterface"> {
  let description = [{
    What an operation on ranked tensors reads to produce a part of its results.
    Boxes are in elements, logical dimensions and whole-tensor coordinates;
    nothing here depends on layouts or changes IR.

    Operations with LinalgOp, elementwise ones and those that have upstream's
    IndexingMapOpInterface and DestinationStyleOpInterface get a model by
    default. An operation without one is done on gathered data, which is said.
  }];
  let cppNamespace = "::npu";
  let methods = [
    InterfaceMethod<[{
        The loops of the operation, and one affine map from loops to each operand
        and result. Written with OpAccessBuilder. Nothing where this operation
        cannot say it: of a dynamic shape, say, or with offsets known at run time
        only. What it says an operand reads may be more than what is read, and
        never less.
      }],
      "std::optional<::npu::OpAccess>", "getAccess">
  ];
}

#endif // NPU_INTERFACES_PARTWISEOPINTERFACE_TD
