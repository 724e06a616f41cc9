// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception

#ifndef NPU_DIALECT_NPU_TRANSFORMS_LEGALIZE_PASSES_TD
#define NPU_DIALECT_NPU_TRANSFORMS_LEGALIZE_PASSES_TD

include "npu/Dialect/NPU/Transforms/Verify/HostFallbackOption.td"

include "mlir/Pass/PassBase.td"

def InsertRedistributions : Pass<"npu-insert-redistributions"> {
  let summary = "make every cast and every use compatible, at the least bytes";
  let description = [{
    Where a `npu.permute_cast`'s result is declared under another distribution
    than its memory has: a relabel or a narrowing (`npu.distribution_cast`, 0
    bytes) where every tile holds what is wanted, else a `npu.redistribute`.

    Where an operation's tiles do not hold what they read: the cheapest of
    moving operands, moving the result instead of an operand, and moving the
    operands of a cheap producer (an element-type cast, a slice, a broadcast). A
    result whose layout promises a halo or a broadcast copy that the tiles cannot
    compute is made with memory = compute and redistributed. Values that need no
    data (empty, fill, splat, iota, constants) are made again. One redistribution
    serves all users that want one placement, and stands right after its source;
    where it meets a redistribution of the input, the two become one.

    A reduction whose operands are split along a reduced dimension runs where
    the operands are when that moves fewer bytes: partial results on their
    tiles, combined one
    after the other in the order of the parts. Sums of floats round otherwise in
    that order, and a part may overflow where the whole does not (f16 ends at
    65,504); the operations that combine them say so in the attribute
    `npu.split_reduction`, and `split-reductions=false` keeps such reductions in
    one piece.

    A `tensor.cast` between two layouts becomes a redistribution or a cast.

    Every decision is a remark of category `npu` (see `--remarks-filter`), named
    `relabel`, `narrow`, `redistribute`, `rematerialize`, `recompute`, `share`,
    `split-reduction` or `left-alone`, with its reason and the bytes of the one
    operation in the result that it is about. A decision of which no operation
    is left, or whose operation was merged with another, is `undone` and has no
    bytes. The remark
    `total` has the totals of a function, as `npu-print-transfers` counts them.
    Operations that fall back to the host get a warning, as in `npu-verify-distributions`.

    A move for which no plan can be made is an error at the operation that needs
    it, with the planner's limit.

    Requires: layouts that fit their tensors. Guarantees: afterwards
    `npu-verify-distributions=strict` accepts; legal input stays as it is; a
    second run changes nothing; no signature changes.

    Example:

    ```mlir
    // before
    %0 = npu.permute_cast %x mem_perm = [0, 1, 2, 3]
        : tensor<1x28x336x128xf16, #npu.layout<SEGMENTED, tiles = [1, 4, 1, 1]>>
       to tensor<1x128x28x336xf16, #npu.layout<OVERLAPPED, tiles = [1, 1, 4, 1], order = NHWC>>
    // after
    %0 = npu.permute_cast %x mem_perm = [0, 1, 2, 3]
        : tensor<1x28x336x128xf16, #npu.layout<SEGMENTED, tiles = [1, 4, 1, 1]>>
       to tensor<1x128x28x336xf16, #npu.layout<SEGMENTED, tiles = [1, 1, 4, 1], order = NHWC>>
    %1 = npu.distribution_cast %0
        : tensor<1x128x28x336xf16, #npu.layout<SEGMENTED, tiles = [1, 1, 4, 1], order = NHWC>>
       to tensor<1x128x28x336xf16, #npu.layout<OVERLAPPED, tiles = [1, 1, 4, 1], order = NHWC>>
    ```
  }];
  let options = [
    Option<"splitReductions", "split-reductions", "bool", /*default=*/"true",
           "let tiles reduce the parts they hold, where that moves fewer bytes; "
           "false keeps every sum in its order">,
    HostFallbackOption,
  ];
  let dependentDialects = ["::npu::NPUDialect", "::mlir::tensor::TensorDialect",
                           "::mlir::arith::ArithDialect",
                           "::mlir::linalg::LinalgDialect"];
}

def LegalizeDistributions : Pass<"npu-legalize-distributions"> {
  let summary = "make every cast and every use compatible, after padding if wanted";
  let description = [{
    Relabels, narrows or redistributes as `npu-insert-redistributions` does: its
    description has the rules and an example. Works on a whole module as on a
    function. Operations that fall back to the host in the end get a warning, one
    for each operation name and reason; where the pass is nested in functions,
    one for each function.

    With `max-prompt-len`, prompt dimensions are padded first, as
    `npu-pad-to-max-prompt-len` does: layouts are those of the padded tensors, so
    that 512 splits evenly where 336 does not. With several lengths
    (`max-prompt-len=128,512,1024`), the smallest that fits is taken: a known
    length is padded to it, and a function of run-time length becomes a dispatcher
    to one private function for each (`main_128`, ...).

    Without any layout there is nothing to legalize, and a remark says so; in
    pipelines, `quiet` leaves it out.

    Requires: layouts that fit their tensors. Guarantees: afterwards
    `npu-verify-distributions=strict` accepts; legal input stays as it is; a
    second run changes nothing; no signature changes.
  }];
  let options = [
    ListOption<"maxPromptLen", "max-prompt-len", "int64_t",
               "pad prompt dimensions to this length first, or to the smallest "
               "of several that fits">,
    Option<"side", "side", "std::string", /*default=*/"\"right\"",
           "where padding goes: right (real part first) or left">,
    Option<"poison", "poison", "bool", /*default=*/"false",
           "fill padding with NaN (integers: 0xAB bytes), for tests">,
    Option<"splitReductions", "split-reductions", "bool", /*default=*/"true",
           "let tiles reduce the parts they hold, where that moves fewer bytes; "
           "false keeps every sum in its order">,
    HostFallbackOption,
    Option<"quiet", "quiet", "bool", /*default=*/"false",
           "say nothing where no tensor has a layout">,
  ];
  let dependentDialects = ["::npu::NPUDialect", "::mlir::tensor::TensorDialect",
                           "::mlir::arith::ArithDialect",
                           "::mlir::affine::AffineDialect",
                           "::mlir::cf::ControlFlowDialect",
                           "::mlir::linalg::LinalgDialect",
                           "::mlir::scf::SCFDialect"];
}

def RaisePermuteCasts : Pass<"npu-raise-permute-casts"> {
  let summary = "transposes and reshapes that move no byte become permute_casts";
  let description = [{
    A `linalg.transpose` or an expand_shape / collapse_shape that only adds,
    drops or passes dimensions of extent 1, and whose operand and result types
    (with their orders) lie the same in memory, is a `npu.permute_cast`.

    A transpose of an ordinary (identity-order) tensor moves bytes unless it only
    moves dimensions of extent 1; between layouts whose orders differ by the same
    permutation it moves none. A reshape changes the rank, which a permute_cast
    does not: it is raised where it is one of a pair that restores the rank
    (expand of a collapse), or where both sides have one rank.

    Requires: nothing. Guarantees: values and layouts of all other operations
    stay as they are.

    Example:

    ```mlir
    // before: heads and sequence swapped, but NHCW memory holds them swapped already
    %0 = linalg.transpose ins(%x : tensor<1x28x336x128xf16>)
        outs(%e : tensor<1x336x28x128xf16, #npu.layout<order = NHCW>>) permutation = [0, 2, 1, 3]
    // after
    %0 = npu.permute_cast %x mem_perm = [0, 1, 2, 3]
        : tensor<1x28x336x128xf16> to tensor<1x336x28x128xf16, #npu.layout<order = NHCW>>
    ```
  }];
  let dependentDialects = ["::npu::NPUDialect"];
}

def CanonicalizeLayouts : Pass<"npu-canonicalize"> {
  let summary = "fold this dialect's casts and redistributions, and nothing else";
  let description = [{
    Applies the folds and canonicalizations of the npu dialect only: cast chains
    fold, inverse pairs vanish, a redistribute whose placements are equal becomes
    a cast, a redistribute of a redistribute merges.

    Upstream `canonicalize` is not safe once layouts differ: it folds a transpose
    of a transpose to the differently laid out source, turns an identity
    linalg.generic into a tensor.cast, merges reshapes over the layout between
    them, moves a fill through a reshape and copies an encoding onto a slice.
    Run it before layouts are given, and this pass afterwards.

    Requires: nothing. Guarantees: operations of other dialects stay as they are.

    Example: two `npu.permute_cast`s that undo each other are removed.
  }];
  let dependentDialects = ["::npu::NPUDialect"];
}

#endif // NPU_DIALECT_NPU_TRANSFORMS_LEGALIZE_PASSES_TD
