// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception

#ifndef NPU_DIALECT_NPU_TRANSFORMS_VERIFY_PASSES_TD
#define NPU_DIALECT_NPU_TRANSFORMS_VERIFY_PASSES_TD

include "npu/Dialect/NPU/Transforms/Verify/HostFallbackOption.td"

include "mlir/Pass/PassBase.td"

def VerifyDistributions : Pass<"npu-verify-distributions"> {
  let summary = "error wherever producer and consumer placements do not agree";
  let description = [{
    Changes nothing. A `npu.permute_cast` is accepted when every tile holds the
    same boxes on both sides (who computed them may differ); any other operation
    when each operand's memory box contains what that tile reads to produce its
    memory box of the result. A `tensor.cast` between two layouts counts as a
    redistribution and is accepted. Operations that are not understood (a call,
    a gather), or that tiles cannot do part by part, are not checked: the
    lowering lets them fall back to the host. A warning says so, one for each
    operation name and reason (docs/debugging.md, "What goes through DDR?"), and a
    remark (`left-alone`) at each of them. `gather=error` refuses them instead,
    and `gather=allow` leaves the warning out.

    Whatever this pass accepts can be lowered and run. It therefore also
    refuses, with one error at the operation, operations that hand distributed
    tensors on in a way that tiles cannot follow (`scf.forall`, `affine.for`,
    branches that lead back,
    `func.call_indirect`, recursion), elements of unknown size, reads of entries
    that have not been written since `tensor.empty`, in DDR as well, and moves
    between placements that take more transfers than a program may have for one
    (1048576; from 4096 tiles with a row each to 4096 tiles with a column each
    there are 16773120).

    With a target, which the module describes (docs/devices.md) or `target`
    names, its limits count as well: a value may not be on more tiles than the
    target has, nor may its memory box on one tile be larger than that tile's
    scratchpad. Whether the values that are in use at one time fit together,
    `npu-plan-scratchpad` finds out.

    With `strict`, the labels of the two sides of a `npu.permute_cast` must also
    be what the field compiler expects, structurally (in canonical form: an
    implicit and an explicit spelling of one distribution are equal).

    The error for a `npu.permute_cast` begins with the field compiler's words;
    notes tell which tile and box, whether data or only a label differs, the
    bytes that would move, and the command that repairs it.

    Requires: nothing. Guarantees on success: every use of a distributed tensor
    reads what its tiles hold, and npu-lower-to-tiles and npu-to-llvm succeed
    (docs/design/0014-verification-is-the-gate.md), but for scratchpads that are
    too small for what lives in them at one time.

    Example (accepted, but an error with `strict`: the label differs):

    ```mlir
    func.func @main(%x: tensor<1x28x336x128xf16, #npu.layout<SEGMENTED, tiles = [1, 4, 1, 1]>>)
        -> tensor<1x128x28x336xf16, #npu.layout<OVERLAPPED, tiles = [1, 1, 4, 1], order = NHWC>> {
      %0 = npu.permute_cast %x mem_perm = [0, 1, 2, 3]
          : tensor<1x28x336x128xf16, #npu.layout<SEGMENTED, tiles = [1, 4, 1, 1]>>
         to tensor<1x128x28x336xf16, #npu.layout<OVERLAPPED, tiles = [1, 1, 4, 1], order = NHWC>>
      return %0 : tensor<1x128x28x336xf16, #npu.layout<OVERLAPPED, tiles = [1, 1, 4, 1], order = NHWC>>
    }
    ```

    With `target=npu4000`, whose tiles have 1474560 bytes each:

    ```
    error: expected %arg0 on tile 0 to fit the scratchpad of npu4000, 1474560 bytes, got 1605632 bytes in [0:1, 0:7, 0:896, 0:128]
    ```
  }];
  let options = [
    Option<"strict", "strict", "bool", /*default=*/"false",
           "compare labels structurally, as the field compiler does">,
    Option<"target", "target", "std::string", /*default=*/"\"\"",
           "the device whose limits count, instead of the module's own">,
    HostFallbackOption,
  ];
  let dependentDialects = ["::npu::NPUDialect"];
}

#endif // NPU_DIALECT_NPU_TRANSFORMS_VERIFY_PASSES_TD
