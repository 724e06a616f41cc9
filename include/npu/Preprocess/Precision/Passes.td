// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception

#ifndef NPU_PREPROCESS_PRECISION_PASSES_TD
#define NPU_PREPROCESS_PRECISION_PASSES_TD

include "mlir/Pass/PassBase.td"

def SetPrecision : Pass<"npu-set-precision", "::mlir::ModuleOp"> {
  let summary = "make operations store, accumulate and compute in the types asked for";
  let description = [{
    Says for operations of linalg in which element type they store their result,
    accumulate, and compute everything else, and makes the types of the IR say
    it, so that whoever comes after computes so without knowing why. Three ask,
    and each is only heard where those before it say nothing:

    1. `npu.precision` on an operation;
    2. a line of the file `overrides` that names the operation's location. A line
       that says something else than the attribute is an error;
    3. `policy`, for the operations of patterns alone: squared distances as
       |x|^2 - 2xy + |y|^2, a variance as E[x^2] - E[x]^2, a softmax without its
       maximum. `accuracy` keeps them in f32 from their operands to their
       result, `performance` in the element type of their operands throughout.

    What nobody asks for stays as it is. An operation that accumulates gets a
    result of the type of the accumulation, and a cast to that of the storage
    after it; any other casts in its body. Who reads a result that is stored in
    a wider type reads it rounded to the type that it had, unless it is itself
    one of these operations and computes in a type that holds it. The attribute
    says afterwards what was decided.

    `distances=direct` computes the distances of `policy=accuracy` as the sum of
    (x - y)^2, and `softmax=subtract-maximum` subtracts the largest number of each
    row before its exponential is taken. Where the form of a pattern does not allow
    it, a remark says why.

    A line of `overrides` is a location and one to three types, after `#` is a
    comment:

        model.mlir:12:8        accumulation=f32
        "layer3/norm*"         storage=f32 accumulation=f32 intermediate=f32

    A place is FILE:LINE or FILE:LINE:COLUMN, FILE with or without its folders; a
    name stands between quotes; `*` is anything. A line that names nothing, names
    what computes nothing, contradicts another, or asks for types that do not go
    together, is an error at its place in the file.

    Remarks of category `npu`: `precision` says what was decided for an operation
    and by whom, `precision-pattern` which pattern was found, with a policy to
    choose where there is none.

    Requires: no layouts. Guarantees: a second run changes nothing.

    Example, of `accumulation=f32`:

    ```mlir
    // before
    %0 = linalg.matmul ins(%x, %w : tensor<4x64xf16>, tensor<64x8xf16>)
        outs(%zero : tensor<4x8xf16>) -> tensor<4x8xf16>
    // after
    %0 = linalg.matmul {npu.precision = #npu.precision<storage = f16, accumulation = f32, intermediate = f32>}
        ins(%x, %w : tensor<4x64xf16>, tensor<64x8xf16>)
        outs(%zero : tensor<4x8xf32>) -> tensor<4x8xf32>
    %1 = linalg.generic ... ins(%0 : tensor<4x8xf32>) outs(%empty : tensor<4x8xf16>) { arith.truncf }
    ```
  }];
  let options = [
    Option<"policy", "policy", "std::string", /*default=*/"\"\"",
           "for the operations of recognised patterns: accuracy or performance; "
           "empty: nothing">,
    Option<"overrides", "overrides", "std::string", /*default=*/"\"\"",
           "file that names operations by location, and their types">,
    Option<"distances", "distances", "std::string", /*default=*/"\"norms\"",
           "under policy=accuracy: norms (keep the three terms) or direct (the "
           "sum of (x - y)^2)">,
    Option<"softmax", "softmax", "std::string", /*default=*/"\"keep\"",
           "under policy=accuracy: keep, or subtract-maximum">,
  ];
  let dependentDialects = ["::npu::NPUDialect", "::mlir::arith::ArithDialect",
                           "::mlir::linalg::LinalgDialect",
                           "::mlir::tensor::TensorDialect"];
}

#endif // NPU_PREPROCESS_PRECISION_PASSES_TD
