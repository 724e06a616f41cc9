// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception

#ifndef NPU_PREPROCESS_FUSION_PASSES_TD
#define NPU_PREPROCESS_FUSION_PASSES_TD

include "mlir/Pass/PassBase.td"

def FuseElementwise : Pass<"npu-fuse-elementwise", "::mlir::ModuleOp"> {
  let summary = "make one operation of elementwise operations that follow each other";
  let description = [{
    An elementwise operation of linalg is put into the operations that read its
    result, elementwise ones and reductions, where that costs less on the device,
    or as much and there is one reader: each kernel of a vector engine begins with
    cycles of its own ([costs](../costs.md)). Upstream's fusion does it.
    The readers of a result take the operation into them all at once or not at all;
    with several, each computes it again, which may cost less than a kernel.

    What would be in the way of something cheaper is left alone: a sum of two
    tensors that a matrix engine does, a pooling, contractions, and transposes, which
    are no work where a tensor may lie in another order.

    Every operation rounds as before, so that the bits of all results stay.

    What the device would have no kernel for is not made, either
    ([kernels](../devices.md#kernels)).

    Requires: a target description, or `target`, or else npu4000's costs count.
    Operations on tensors with layouts, and operations with attributes of their
    own, stay as they are. Guarantees: the cost of the function is no higher; a
    second run changes nothing.

    Example: of

    ```mlir
    %0 = linalg.exp ins(%x : tensor<64x64xf16>) outs(%e : tensor<64x64xf16>) -> tensor<64x64xf16>
    %1 = linalg.tanh ins(%0 : tensor<64x64xf16>) outs(%e : tensor<64x64xf16>) -> tensor<64x64xf16>
    ```

    becomes one `linalg.generic` with `math.exp` and `math.tanh` in its body.
  }];
  let options = [
    Option<"target", "target", "std::string", /*default=*/"\"\"",
           "the device instead of the module's own: a built-in one, or the "
           "module's by its name">,
  ];
  let dependentDialects = ["::mlir::arith::ArithDialect",
                           "::mlir::linalg::LinalgDialect",
                           "::mlir::math::MathDialect",
                           "::mlir::tensor::TensorDialect"];
}

#endif // NPU_PREPROCESS_FUSION_PASSES_TD
