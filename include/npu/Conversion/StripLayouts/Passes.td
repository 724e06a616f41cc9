// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception

#ifndef NPU_CONVERSION_STRIPLAYOUTS_PASSES_TD
#define NPU_CONVERSION_STRIPLAYOUTS_PASSES_TD

include "mlir/Pass/PassBase.td"

def StripLayouts : Pass<"npu-strip-layouts"> {
  let summary = "take all layouts off, as if nothing had been distributed";
  let description = [{
    Takes every `#npu.layout` off every type and attribute. A `npu.permute_cast`
    becomes what it does to logical indices: a `linalg.transpose` with
    `result[o] = input[d[o]]`, or nothing where `d` is the identity.
    `npu.distribution_cast`, `npu.redistribute` and a `tensor.cast` between
    layouts vanish.

    Requires: a module before npu-lower-to-tiles; a tile program is refused,
    because the function that it was made from does not follow from it.
    Guarantees: no layout and no
    operation of the npu dialect is left.

    Example:

    ```mlir
    // before
    %1 = npu.permute_cast %0 mem_perm = [0, 1, 2, 3]
        : tensor<1x28x336x128xf16, #heads> to tensor<1x128x28x336xf16, #rows>
    // after
    %e = tensor.empty() : tensor<1x128x28x336xf16>
    %1 = linalg.transpose ins(%0 : tensor<1x28x336x128xf16>)
        outs(%e : tensor<1x128x28x336xf16>) permutation = [0, 3, 1, 2]
    ```
  }];
  let dependentDialects = ["::npu::NPUDialect", "::mlir::linalg::LinalgDialect",
                           "::mlir::tensor::TensorDialect"];
}

#endif // NPU_CONVERSION_STRIPLAYOUTS_PASSES_TD
