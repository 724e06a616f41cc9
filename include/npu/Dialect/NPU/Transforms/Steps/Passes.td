// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception

#ifndef NPU_DIALECT_NPU_TRANSFORMS_STEPS_PASSES_TD
#define NPU_DIALECT_NPU_TRANSFORMS_STEPS_PASSES_TD

include "mlir/Pass/PassBase.td"

def RunInSteps : Pass<"npu-run-in-steps", "::mlir::ModuleOp"> {
  let summary = "make loops of operations that carry their steps";
  let description = [{
    An operation of linalg on tensors in DDR that carries `npu.steps` becomes loops
    over slices of them: each step loads the slices that it reads to tiles, computes
    there, and stores what is ready. So an operation runs whose tensors do not fit the
    scratchpads.

    `npu.steps` is a dictionary:

    | item | is |
    |---|---|
    | `loops` | the loops that are cut, the outermost first, and those that reduce last |
    | `sizes` | for each of them the iterations of a step; the last step has what is left |
    | `layouts` | for each operand the layout in which a step holds its slice; `unit` for those that are no tensors |
    | `slots` | for each loop how many slots the buffers have that its rounds fill, 1 to 8; 1 of all where it is absent |

    In round k tiles use slot k modulo `slots`, so that with two the slices of the next
    round arrive while they work on those of this one: the loop has `npu.slots`, and
    npu-plan-scratchpad gives its buffers places that rotate.

    What does not depend on the loops further inside is loaded outside of them. Loops
    that reduce are done in order, with the sums on tiles, so that every bit stays.

    An operation whose `npu.steps` has `layouts` and nothing else runs in the steps of
    what reads it: each step makes the slices that the operations after it read, on
    tiles, and nobody has its result as a whole. All that read the result run in the same
    steps, the last of them has the loops, and a loop that two of them read in different
    parts is not cut. Slices that several operations read are loaded once.

    A `tensor.pad` of what they read runs in their steps where its `npu.steps` is
    `{layouts = []}`: a step loads what there is of its slice of the padded tensor,
    and tiles add what lies beyond the ends, if anything does. Steps at the ends are
    code before and after the loop.

    A tensor that steps cut may lie on tiles as a whole under the layout of its slices,
    where these have equal parts of it, one after the other, or all of it: each tile then
    cuts its own part, and nothing is loaded or stored of it in a step. A step has a piece
    of each part, of every other tensor as well, so that its sizes are multiples of the
    number of parts.

    Requires: static shapes, one result, layouts that fit all slices, those of the last
    step included; of a padded tensor, more than the pad in every step. Errors: an
    `npu.steps` that asks for something else.

    Example: rows of a matmul, 64 at a time, with the second operand on all tiles.

    ```mlir
    // before
    %1 = linalg.matmul {npu.steps = {loops = array<i64: 0>, sizes = array<i64: 64>,
        layouts = [#rows, #all, #rows]}}
        ins(%a, %b : tensor<512x256xf32>, tensor<256x128xf32>)
        outs(%0 : tensor<512x128xf32>) -> tensor<512x128xf32>
    // after
    %b1 = npu.redistribute %b : tensor<256x128xf32> to tensor<256x128xf32, #all>
    %1 = scf.for %i = %c0 to %c512 step %c64 iter_args(%r = %0) -> tensor<512x128xf32> {
      %s = tensor.extract_slice %a[%i, 0] [64, 256] [1, 1] : tensor<512x256xf32> to tensor<64x256xf32>
      %l = npu.redistribute %s : tensor<64x256xf32> to tensor<64x256xf32, #rows>
      ...
    ```
  }];
  let dependentDialects = ["::npu::NPUDialect", "::mlir::arith::ArithDialect",
                           "::mlir::affine::AffineDialect",
                           "::mlir::scf::SCFDialect",
                           "::mlir::tensor::TensorDialect"];
}

#endif // NPU_DIALECT_NPU_TRANSFORMS_STEPS_PASSES_TD
