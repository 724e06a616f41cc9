// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception

#ifndef NPU_INTERFACES_LAYOUTCHANGEOPINTERFACE_TD
#define NPU_INTERFACES_LAYOUTCHANGEOPINTERFACE_TD

include "mlir/IR/OpBase.td"

def NPU_LayoutChangeOpInterface : OpInterface<"LayoutChangeOpInterface"> {
  let description = [{
    An operation that computes nothing and gives its only operand another layout,
    which is the one of its result's type. So it states itself where data goes:
    nobody chooses layouts for it, and no host fallback is needed for it.

    | operation | moves data | keeps indices |
    |---|---|---|
    | `npu.redistribute` | yes | yes |
    | `npu.distribution_cast` | no | yes |
    | `npu.permute_cast` | no | no |
  }];
  let cppNamespace = "::npu";
  let methods = [
    InterfaceMethod<[{
        The tensor that gets another layout.
      }],
      "::mlir::Value", "getSource", (ins), "",
      [{ return $_op->getOperand(0); }]>,
    InterfaceMethod<[{
        Whether data moves between tiles, or between tiles and DDR. Otherwise
        every tile reads the memory that it has already.
      }],
      "bool", "movesData", (ins), "", [{ return false; }]>,
    InterfaceMethod<[{
        Whether each element keeps its indices, so that a box of the result is
        the same box of the source. Otherwise the result is a view with permuted
        dimensions.
      }],
      "bool", "keepsIndices", (ins), "", [{ return true; }]>
  ];
}

#endif // NPU_INTERFACES_LAYOUTCHANGEOPINTERFACE_TD
