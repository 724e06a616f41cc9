// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception

#ifndef NPU_INTERFACES_REMAKEABLEOPINTERFACE_TD
#define NPU_INTERFACES_REMAKEABLEOPINTERFACE_TD

include "mlir/IR/OpBase.td"

def NPU_RemakeableOpInterface : OpInterface<"RemakeableOpInterface"> {
  let description = [{
    An operation with one result, a ranked tensor, that takes no data to make:
    where it is wanted under another layout it is made again, and nothing moves.
    Structured operations that read no tensor get a model by default.
  }];
  let cppNamespace = "::npu";
  let methods = [
    InterfaceMethod<[{
        What the result holds. An operation that can have all kinds, like a
        constant, says it of this one.
      }],
      "::npu::DataNeed", "getDataNeed">,
    InterfaceMethod<[{
        Makes the result again under `type`, which has its shape and element type;
        nothing changes beside. Where the result is unwritten, `type` may have
        another shape. Fails with nothing built where `getDataNeed` says that the
        result is computed.
      }],
      "::llvm::FailureOr<::mlir::Value>", "remakeAs",
      (ins "::mlir::OpBuilder &":$builder, "::mlir::RankedTensorType":$type)>,
    InterfaceMethod<[{
        The scalar operand that every entry of the result is; null where there is
        none, as of a constant.
      }],
      "::mlir::Value", "getUniformValue", (ins), "",
      [{ return ::mlir::Value(); }]>
  ];
}

#endif // NPU_INTERFACES_REMAKEABLEOPINTERFACE_TD
