// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception

#ifndef NPU_INTERFACES_REMATERIALIZABLEOPINTERFACE_TD
#define NPU_INTERFACES_REMATERIALIZABLEOPINTERFACE_TD

include "mlir/IR/OpBase.td"

def NPU_RematerializableOpInterface : OpInterface<"RematerializableOpInterface"> {
  let description = [{
    An operation with one result, a ranked tensor, that takes no data to make:
    where the result is wanted under another layout, the operation is made
    again, and nothing moves.
    Structured operations that read no tensor get a model by default.
  }];
  let cppNamespace = "::npu";
  let methods = [
    InterfaceMethod<[{
        What has to be moved of the result. Where that differs between
        operations of one name, as between constants, the answer is that of this
        operation.
      }],
      "::npu::DataNeed", "getDataNeed">,
    InterfaceMethod<[{
        Makes the result again under `type`, which has the result's shape and
        element type, and changes no other operation. Where the result is
        unwritten, `type` may have
        another shape. Fails with nothing built where `getDataNeed` says that the
        result is computed.
      }],
      "::llvm::FailureOr<::mlir::Value>", "rematerializeAs",
      (ins "::mlir::OpBuilder &":$builder, "::mlir::RankedTensorType":$type)>,
    InterfaceMethod<[{
        The scalar operand that every entry of the result is equal to; null
        where there is none, as for a constant.
      }],
      "::mlir::Value", "getUniformValue", (ins), "",
      [{ return ::mlir::Value(); }]>
  ];
}

#endif // NPU_INTERFACES_REMATERIALIZABLEOPINTERFACE_TD
