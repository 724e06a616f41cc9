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
      front, because upstream pads after the conversion to the accumulator's type
      with a value of the input's;
    * a `transpose_conv2d` with strides whose weights have another type than its
      input: zeros between the input's entries, and stride 1;
    * `INEXACT_ROUND`, which leaves the rounding to the implementation, becomes
      `SINGLE_ROUND`;
    * a `max_pool2d` in f8 becomes one in f16, which has every f8;
    * a `reduce_max`, `reduce_min` or `max_pool2d` of floats that ignores NaN becomes
      one of the numbers, with infinities in the place of NaN, and a `select` of NaN
      where there was no number;
    * a bilinear `resize` with a negative offset repeats the first row or column and
      begins there, because upstream weighs entries before the first one with
      negative numbers; so does one of a single i16, for which upstream multiplies
      integers of different types;
    * a `negate` of a `negate` of integers becomes a `clamp`, because upstream folds it
      to nothing, and the least number has no opposite;
    * a `cast` between f16 and bf16 goes through f32, which has every number of both.

    Requires: nothing. Guarantees: results stay what the specification says.

    Example: `tosa.mul_shape` of [2, 3] and [2, 2] becomes the `tosa.const_shape`
    [4, 6].
  }];
  let dependentDialects = ["::mlir::tensor::TensorDialect",
                           "::mlir::tosa::TosaDialect"];
}

def LowerTosaControlFlow
    : InterfacePass<"npu-lower-tosa-control-flow", "::mlir::FunctionOpInterface"> {
  let summary = "branches, loops and scatters of TOSA as loops and branches of scf";
  let description = [{
    The patterns of upstream's `tosa-to-scf`, applied to operations inside of others
    as well: upstream's pass fails where a `cond_if` or a `while_loop` contains
    another one.

    Requires: nothing. Guarantees: `cond_if`, `while_loop` and `scatter` of ranked
    tensors are lowered; their regions have the operations that they had.

    Example: `tosa.cond_if` becomes `scf.if`, and its condition a `tensor.extract`.
  }];
}

def LowerTosa : InterfacePass<"npu-lower-tosa", "::mlir::FunctionOpInterface"> {
  let summary = "upstream's last four passes from TOSA in one";
  let description = [{
    The patterns of `tosa-to-linalg-named`, `tosa-to-linalg`, `tosa-to-arith` (with
    `apply_scale`) and `tosa-to-tensor` in one conversion, which takes a third of the
    time of several. `reduce_max`, `reduce_min` and `max_pool2d` of floats have
    patterns of their own, which begin at an infinity: upstream begins at the largest
    finite number, and a maximum of -inf alone is finite there. `tensor.pad` gets its
    constant operands as static numbers, which say how it can be cut.

    Requires: what these passes require, `npu-prepare-tosa` for what ignores NaN.
    Guarantees: what no pattern lowers stays TOSA.

    Example: `tosa.exp` becomes a `linalg.generic` with `math.exp`.
  }];
}

#endif // NPU_CONVERSION_TOSA_PASSES_TD
