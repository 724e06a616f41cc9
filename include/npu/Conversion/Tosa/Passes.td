// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception

#ifndef NPU_CONVERSION_TOSA_PASSES_TD
#define NPU_CONVERSION_TOSA_PASSES_TD

include "mlir/Pass/PassBase.td"

def PrepareTosa : InterfacePass<"npu-prepare-tosa", "::mlir::FunctionOpInterface"> {
  let summary = "TOSA in forms that upstream's passes lower";
  let description = [{
    Rewrites TOSA operations that upstream's passes refuse, or lower to something
    else than the specification says, to other TOSA operations:

    * operations on shapes (`add_shape`, `dim`, ...) whose operands are known
      become `const_shape`;
    * a `depthwise_conv2d` with a 1x1 kernel and padding: a `pad` of its own in
      front, because upstream pads behind the conversion to the accumulator's type
      with a value of the input's;
    * a `transpose_conv2d` with strides whose weights have another type than its
      input: zeros between the input's entries, and stride 1;
    * `INEXACT_ROUND`, which leaves the rounding to the implementation, becomes
      `SINGLE_ROUND`;
    * a `max_pool2d` in f8 becomes one in f16, which has every f8.

    Requires: nothing. Guarantees: results stay what the specification says.

    Example: `tosa.mul_shape` of [2, 3] and [2, 2] becomes the `tosa.const_shape`
    [4, 6].
  }];
  let dependentDialects = ["::mlir::tosa::TosaDialect"];
}

def LowerTosa : InterfacePass<"npu-lower-tosa", "::mlir::FunctionOpInterface"> {
  let summary = "upstream's last three passes from TOSA in one";
  let description = [{
    The patterns of `tosa-to-linalg`, `tosa-to-arith` (with `apply_scale`) and
    `tosa-to-tensor` in one conversion, which takes a third of the time of three.

    Requires: what these passes require, `tosa-to-linalg-named` among it.
    Guarantees: what no pattern lowers stays TOSA.

    Example: `tosa.exp` becomes a `linalg.generic` with `math.exp`.
  }];
  let dependentDialects = ["::mlir::arith::ArithDialect",
                           "::mlir::linalg::LinalgDialect",
                           "::mlir::math::MathDialect",
                           "::mlir::scf::SCFDialect",
                           "::mlir::tensor::TensorDialect"];
}

#endif // NPU_CONVERSION_TOSA_PASSES_TD
