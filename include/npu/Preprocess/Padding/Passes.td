// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception

#ifndef NPU_PREPROCESS_PADDING_PASSES_TD
#define NPU_PREPROCESS_PADDING_PASSES_TD

include "mlir/Pass/PassBase.td"

def PadToMaxPromptLen : Pass<"npu-pad-to-max-prompt-len"> {
  let summary = "one static shape for all prompt lengths, bit-equal on the real part";
  let description = [{
    Pads the prompt dimensions of functions to `max-prompt-len`. They are those
    that arguments name (`npu.prompt_dim = 2`, or `[1, 2]`), or else all dynamic
    ones. Their extent is the prompt length: known (336 becomes 512) or a run-time
    value (`?` becomes 512 in the one compiled function).

    Signatures stay as they are: arguments are put into padded tensors at the
    beginning, and results are cut back at the end. With `static-signature`,
    callers give and take padded tensors, and the length is one more argument
    (`index`, marked `npu.prompt_length`) after the others.

    No real result changes by a bit, whatever padding holds:

    * A reduction over a padded dimension skips padded positions by comparing the
      position inside the operation. Where padding is proved to be neutral (a
      causal mask that is a select on positions, say), it does not.
    * Integer divisions and reads of tensors by position are kept from trapping on
      padding.
    * With `side=left`, positions (`linalg.index`) count real entries.
    * `tensor.dim` gives the real length.

    An operation that is not understood works on the real part alone where the
    length is known, and is refused, with the reason, where it is not.

    `poison` fills all padding that is introduced with NaN (integers: 0xAB in every
    byte), for tests. `without-mask=N` leaves mask number N out of every
    function that has so many masks: tests leave each out in turn and see that
    poison gets through. Masks are the loops that skip padding, numbered from 0
    in the order of
    the operations.

    Every decision is a remark of category `npu`; `pad` counts the masks and those
    that were proved unnecessary.

    Requires: functions of one block. Guarantees: a run-time length outside of 1
    to `max-prompt-len` fails an assertion that names both numbers; a known one is
    an error.

    Example:

    ```mlir
    // before
    func.func @sum(%x: tensor<?xf32>, %e: tensor<f32>) -> tensor<f32> {
      %0 = linalg.reduce { arith.addf } ins(%x : tensor<?xf32>) outs(%e : tensor<f32>) dimensions = [0]
      return %0 : tensor<f32>
    }
    // after --npu-pad-to-max-prompt-len=max-prompt-len=8, in short
    %padded = tensor.insert_slice %x into %empty[0] [%length] [1] : tensor<?xf32> into tensor<8xf32>
    %0 = linalg.generic ... ins(%padded : tensor<8xf32>) outs(%e : tensor<f32>) {
    ^bb0(%in: f32, %out: f32):
      %position = linalg.index 0 : index
      %real = arith.cmpi slt, %position, %length : index
      %term = arith.select %real, %in, %neutral : f32
      %sum = arith.addf %out, %term : f32
      linalg.yield %sum : f32
    }
    ```
  }];
  let options = [
    Option<"maxPromptLen", "max-prompt-len", "int64_t", /*default=*/"0",
           "the static extent of prompt dimensions; at least 1">,
    Option<"side", "side", "std::string", /*default=*/"\"right\"",
           "where padding goes: right (real part first) or left">,
    Option<"staticSignature", "static-signature", "bool", /*default=*/"false",
           "callers give and take padded tensors, and give the length">,
    Option<"poison", "poison", "bool", /*default=*/"false",
           "fill padding with NaN (integers: 0xAB bytes), for tests">,
    Option<"withoutMask", "without-mask", "int64_t", /*default=*/"-1",
           "leave this mask out, for tests; -1: none">,
  ];
  let dependentDialects = ["::npu::NPUDialect", "::mlir::tensor::TensorDialect",
                           "::mlir::arith::ArithDialect",
                           "::mlir::affine::AffineDialect",
                           "::mlir::cf::ControlFlowDialect",
                           "::mlir::linalg::LinalgDialect"];
}

def PrintPadding : Pass<"npu-print-padding", "::mlir::ModuleOp"> {
  let summary = "print what would be padding in every value";
  let description = [{
    Runs the analysis of `npu-pad-to-max-prompt-len` and prints its answer; changes
    nothing. For every value: which dimensions carry padding, how many entries
    are real (L is the prompt length), where the padding stands and what is
    known of its content. For every reduction over the prompt: whether it skips
    padding.

    Requires: as `npu-pad-to-max-prompt-len`.

    Example, with `max-prompt-len=16`:

    ```text
    function @main
      %arg0: dim 0: L real of 16, padding after is anything
      %0: no padding
      linalg.reduce at model.mlir:2:8: loop 0 skips padding
    ```
  }];
  let options = [
    Option<"maxPromptLen", "max-prompt-len", "int64_t", /*default=*/"0",
           "the static extent of prompt dimensions; at least 1">,
    Option<"side", "side", "std::string", /*default=*/"\"right\"",
           "where padding goes: right (real part first) or left">,
    Option<"format", "format", "std::string", /*default=*/"\"text\"",
           "text or json">,
    Option<"outputFile", "output-file", "std::string", /*default=*/"\"-\"",
           "where to write; - is standard output">,
  ];
}

#endif // NPU_PREPROCESS_PADDING_PASSES_TD
