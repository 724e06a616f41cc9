// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception

#ifndef NPU_INTERFACES_STRUCTUREDFORMOPINTERFACE_TD
#define NPU_INTERFACES_STRUCTUREDFORMOPINTERFACE_TD

include "mlir/IR/OpBase.td"

def NPU_StructuredFormOpInterface : OpInterface<"StructuredFormOpInterface"> {
  let description = [{
    The same computation by operations with LinalgOp. npu-structure-ops asks for
    this form before tensors become buffers, and npu-lower-to-tiles where an
    operation's model does not say how a tile makes its part. Operations with
    upstream's
    AggregatedOpInterface get a model by default.
  }];
  let cppNamespace = "::npu";
  let methods = [
    InterfaceMethod<[{
        Whether this operation has a structured form: of static shape, say.
      }],
      "bool", "hasStructuredForm", (ins), "", [{ return true; }]>,
    InterfaceMethod<[{
        Whether the form may be asked for while tensors have layouts: every tensor
        that it makes has the layout of a result, and its operations read what the
        access of the operation says.
      }],
      "bool", "keepsLayouts", (ins), "", [{ return false; }]>,
    InterfaceMethod<[{
        Replaces the operation by structured operations, whose results have the
        types of its own. The rewriter stands in front of the operation. Fails
        with nothing changed where `hasStructuredForm` is false.
      }],
      "::llvm::LogicalResult", "rewriteAsStructured",
      (ins "::mlir::RewriterBase &":$rewriter)>
  ];
}

#endif // NPU_INTERFACES_STRUCTUREDFORMOPINTERFACE_TD
