// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception

#ifndef NPU_DIALECT_NPU_TRANSFORMS_PASSES_TD
#define NPU_DIALECT_NPU_TRANSFORMS_PASSES_TD

include "mlir/Pass/PassBase.td"

def VerifyDistributions : Pass<"npu-verify-distributions"> {
  let summary = "error wherever producer and consumer placements do not agree";
  let description = [{
    Changes nothing. A `npu.permute_cast` is accepted when every tile holds the
    same boxes on both sides (who computed them may differ); any other operation
    when each operand's memory box contains what that tile reads to produce its
    memory box of the result. A `tensor.cast` between two layouts counts as a
    redistribution and is accepted. Operations that the analysis does not
    understand (a call, a gather), or that no tile can do a part of, are left
    out, with a remark: the lowering does them on gathered data.

    It is the gate: what it accepts, lowers and runs. Refused as well, with one
    error at the operation, is what hands distributed tensors on in a way that
    tiles cannot follow (`scf.forall`, `affine.for`, branches that lead back,
    `func.call_indirect`, recursion), elements whose size nobody knows, and reads
    of what nobody has written since `tensor.empty`, in DDR as well.

    With a target, which the module describes (docs/memory.md) or `target`
    names, its limits count as well: a value may not be on more tiles than the
    target has, nor may its memory box on one tile be larger than that tile's
    scratchpad. Whether the values that live at one time fit together is what
    `npu-plan-scratchpad` tells.

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
  ];
  let dependentDialects = ["::npu::NPUDialect"];
}

def InsertRedistributions : Pass<"npu-insert-redistributions"> {
  let summary = "make every cast and every use compatible, at the least bytes";
  let description = [{
    Where a `npu.permute_cast`'s result is declared under another distribution
    than its memory has: a relabel or a narrowing (`npu.distribution_cast`, 0
    bytes) where every tile holds what is wanted, else a `npu.redistribute`.

    Where an operation's tiles do not hold what they read: the cheapest of
    moving operands, moving the result instead of an operand, and moving what a
    cheap producer (an element-type cast, a slice, a broadcast) was made from. A
    result whose layout promises a halo or a broadcast copy that the tiles cannot
    compute is made with memory = compute and redistributed. Values that need no
    data (empty, fill, splat, iota, constants) are made again. One redistribution
    serves all users that want one placement, and stands right after its source;
    where it meets a redistribution that was there already, the two become one.

    A reduction whose operands are split along what it reduces runs where they
    lie when that moves fewer bytes: partial results on their tiles, combined one
    after the other in the order of the parts. Sums of floats round otherwise in
    that order, and a part may overflow where the whole does not (f16 ends at
    65,504); the operations that combine them say so in the attribute
    `npu.split_reduction`, and `split-reductions=false` keeps such reductions in
    one piece.

    A `tensor.cast` between two layouts becomes a redistribution or a cast.

    Every decision is a remark of category `npu` (see `--remarks-filter`), named
    `relabel`, `narrow`, `redistribute`, `remake`, `recompute`, `share`,
    `split-reduction` or `left-alone`, with its reason and bytes.

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
  ];
  let dependentDialects = ["::npu::NPUDialect", "::mlir::tensor::TensorDialect",
                           "::mlir::arith::ArithDialect",
                           "::mlir::linalg::LinalgDialect"];
}

def LegalizeDistributions : Pass<"npu-legalize-distributions"> {
  let summary = "the main job: afterwards every cast and every use is compatible";
  let description = [{
    Relabels, narrows or redistributes as `npu-insert-redistributions` does: its
    description has the rules and an example. Works on a whole module as on a
    function.

    With `max-prompt-len`, prompt dimensions are padded first, as
    `npu-pad-to-max-prompt-len` does: layouts are those of the padded tensors, so
    that 512 splits evenly where 336 does not. With several lengths
    (`max-prompt-len=128,512,1024`), the smallest that fits is taken: a known
    length is padded to it, and a function of run-time length becomes a dispatcher
    to one private function for each (`main_128`, ...).

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
  ];
  let dependentDialects = ["::npu::NPUDialect", "::mlir::tensor::TensorDialect",
                           "::mlir::arith::ArithDialect",
                           "::mlir::affine::AffineDialect",
                           "::mlir::cf::ControlFlowDialect",
                           "::mlir::linalg::LinalgDialect",
                           "::mlir::scf::SCFDialect"];
}

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
    (`index`, marked `npu.prompt_length`) behind the others.

    No real result changes by a bit, whatever padding holds:

    * A reduction over a padded dimension skips padded positions by comparing the
      position inside the operation. Where padding is proved to be neutral (a
      causal mask that is a select on positions, say), it does not.
    * Integer divisions and reads of tensors by position are kept from trapping on
      padding.
    * With `side=left`, positions (`linalg.index`) count real entries.
    * `tensor.dim` gives the real length.

    What is not understood works on the real part alone where the length is known,
    and is refused, with the reason, where it is not.

    `poison` fills all padding that is introduced with NaN (integers: 0xAB in every
    byte), for tests. `without-mask=N` leaves mask number N of every function out
    that has so many: tests take each away in turn and see that poison gets
    through. Masks are the loops that skip padding, numbered from 0 in the order of
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

def ChunkPrefill : Pass<"npu-chunk-prefill", "::mlir::ModuleOp"> {
  let summary = "run a prefill function of any prompt length in chunks of one shape";
  let description = [{
    A prefill function takes the rows of a prompt (dynamic dimensions), caches
    (`npu.cache_dim = 1` names the dimension with an entry for each position) and
    the position of the prompt's first row (`npu.cache_offset`, an index or
    integer), and gives rows and the caches with the prompt's entries. It becomes a
    loop over chunks: each call of one function of static shape (`main_chunk_128`,
    padded to `chunk-len`) gets the next rows, the caches as the chunk before left
    them, and the offset that belongs to them. Results are equal bit for bit.

    That is so where every row follows from the rows before it and from the cache
    alone, and does not care where its chunk begins. Both are proved:

    * What is attended to comes from a cache into which the chunk's rows have been
      put at the offset.
    * Positions behind a row are neutral in whatever reduces over positions: a
      select on `position <= row + offset` whose other branch is -inf, say. A
      weight of 0 is neutral if what it is multiplied with is finite; this is
      assumed of rows and caches, and remarked. With `assume-finite=false` it is not.
    * Rows are counted from the offset, and the prompt's length is no number that
      results follow from.
    * Nothing reduces over rows. The last row alone may be taken: it is that of the
      last chunk.

    Anything else is refused with the operation and the reason.

    Requires: functions of one block; prompt lengths known at run time alone; caches
    of static shape, each returned. Guarantees: a prompt that does not fit into the
    caches fails an assertion.

    Example: `npu-opt model.mlir --npu-chunk-prefill=chunk-len=128`
    (test/Transforms/chunk-prefill.mlir).
  }];
  let options = [
    Option<"chunkLen", "chunk-len", "int64_t", /*default=*/"0",
           "rows of a chunk; at least 1">,
    Option<"side", "side", "std::string", /*default=*/"\"right\"",
           "where the padding of the last chunk goes: right or left">,
    Option<"assumeFinite", "assume-finite", "bool", /*default=*/"true",
           "what rows and caches hold is finite">,
    Option<"poison", "poison", "bool", /*default=*/"false",
           "fill padding with NaN (integers: 0xAB bytes), for tests">,
  ];
  let dependentDialects = ["::npu::NPUDialect", "::mlir::tensor::TensorDialect",
                           "::mlir::arith::ArithDialect",
                           "::mlir::affine::AffineDialect",
                           "::mlir::cf::ControlFlowDialect",
                           "::mlir::linalg::LinalgDialect",
                           "::mlir::scf::SCFDialect"];
}

def PrintPadding : Pass<"npu-print-padding", "::mlir::ModuleOp"> {
  let summary = "what would be padding in every value";
  let description = [{
    Runs the analysis of `npu-pad-to-max-prompt-len` and prints its answer; changes
    nothing. For every value: which dimensions carry padding, how many entries are
    real (of L, the prompt length), where the padding stands and what it contains,
    if that is known. For every reduction over the prompt: whether it skips padding.

    Requires: as `npu-pad-to-max-prompt-len`.

    Example, with `max-prompt-len=16`:

    ```text
    function @main
      %arg0: dim 0: L real of 16, padding behind is anything
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

    Example: `npu.permute_cast` there and back is gone.
  }];
  let dependentDialects = ["::npu::NPUDialect"];
}

def PrintDistributions : Pass<"npu-print-distributions", "::mlir::ModuleOp"> {
  let summary = "print the placement of every value";
  let description = [{
    For every tensor value of every function, in program order, function
    arguments first: its type and, for every tile, compute and memory boxes.
    Tensors that are not distributed are listed with no tiles. What is known to
    be padding (docs/padding.md) is shown: the ranges for the tensor, and for
    every tile that has some what of its memory is real. In JSON such values have
    `"padding": [{"dim": 2, "begin": 336, "end": 512} ]`.

    Changes nothing. Writes to standard output unless `output-file` is given
    (`-o /dev/null` drops the IR). Units: elements, whole-tensor coordinates.

    Example of `format=json`:

    ```json
    {"functions": [{"name": "main", "values": [{"name": "%arg0", "type": "tensor<...>",
      "shape": [1, 28, 336, 128], "element_bits": 16, "tiles": [
        {"tile": 0, "compute": {"offset": [0, 0, 0, 0], "size": [1, 7, 336, 128]},
                    "memory":  {"offset": [0, 0, 0, 0], "size": [1, 7, 336, 128]} } ] } ] } ] }
    ```
  }];
  let options = [
    Option<"format", "format", "std::string", /*default=*/"\"text\"",
           "text or json">,
    Option<"outputFile", "output-file", "std::string", /*default=*/"\"-\"",
           "file to write to, - for standard output">,
  ];
  let dependentDialects = ["::npu::NPUDialect"];
}

def PrintTransfers : Pass<"npu-print-transfers", "::mlir::ModuleOp"> {
  let summary = "print every redistribution's transfers, bytes and bounds";
  let description = [{
    One row per `npu.redistribute` and per cast between layouts (casts have no
    transfers): who sends which box to whom, and each figure beside the least it
    can be. Units: bytes. What is known to be padding does not move and is not
    counted.

    | figure | definition | bound |
    |---|---|---|
    | `bytes_received` | sum over transfers between tiles of bytes times receivers | sum over tiles of what it must hold and does not |
    | `max_tile_received` | the same for the fullest tile | the same |
    | `bytes_injected` | sum over transfers between tiles, a multicast once | what some tile must hold and does not, once |
    | `max_tile_sent` | busiest sender, a multicast once | least possible (max-flow) |
    | `bytes_relaid` | bytes whose order inside a tile changes | |
    | `ddr_bytes` | loaded from DDR (a multicast load once) plus stored to it | |

    Source of the bounds: docs/concepts.md, "Redistribution, and how good it can
    be". Changes nothing. Writes to standard output unless `output-file` is given.

    Example of `format=json`:

    ```json
    {"functions": [{"name": "main", "redistributions": [{"location": "...", "op": "npu.redistribute",
      "transfers": [{"from": 0, "to": [1], "offset": [0, 0, 0, 0], "size": [1, 7, 84, 128], "bytes": 150528} ] } ] } ] }
    ```
  }];
  let options = [
    Option<"format", "format", "std::string", /*default=*/"\"text\"",
           "text or json">,
    Option<"outputFile", "output-file", "std::string", /*default=*/"\"-\"",
           "file to write to, - for standard output">,
  ];
  let dependentDialects = ["::npu::NPUDialect"];
}

#endif // NPU_DIALECT_NPU_TRANSFORMS_PASSES_TD
