// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception

#ifndef NPU_CONVERSION_LOWERTOTILES_PASSES_TD
#define NPU_CONVERSION_LOWERTOTILES_PASSES_TD

include "npu/Dialect/NPU/Transforms/Verify/HostFallbackOption.td"

include "mlir/Pass/PassBase.td"

def LowerToTiles : Pass<"npu-lower-to-tiles", "::mlir::ModuleOp"> {
  let summary = "lower to the explicit program of every tile, with every transfer";
  let description = [{
    Every tile's part of a tensor becomes an ordinary tensor of its own static
    shape, dimensions in memory order, so that a `npu.permute_cast` becomes a
    reshape and nothing else. Every operation is done by each tile on its own
    parts (attribute `npu.tile`), and all movement, loads from and stores to DDR
    included, is `npu.transfer`. The function's signature is the original one
    without layouts: arguments are loaded at the beginning, results stored before
    the return.

    Structured operations are cut by their indexing maps: linalg, elementwise
    arith and math, tensor.pad, extract_slice, insert_slice, concat,
    expand_shape, collapse_shape, constants. Maps are rewritten in the tile's
    coordinates, whatever their divisions, reversals and offsets. Operations
    that cannot be cut (a call, a gather, a reshape across tiles' runs, an
    output of which a tile's part is written by no box of iterations) fall
    back to the host, which runs them on whole tensors in DDR: each operand is
    stored once, and unwritten tensors are made again. A warning says so, one for each operation name and reason, unless verification
    or legalization has said it before, or an error with `gather=error`; a remark
    (`gather`) says it of each, with the bytes that this costs.

    The operations of one tile stand together as far as tiles do not wait for each
    other: each tile does the same in the same order, and a transfer between tiles
    stands where all of them have come to it.

    Requires: distributions that `npu-verify-distributions` accepts (it is run
    first). Guarantees: `npu-verify-tile-program` accepts the result (it is run
    afterwards). npu-compile verifies both itself, and switches this off.

    Example: an elementwise operation on rows that two tiles share.

    ```mlir
    // before
    %0 = linalg.exp ins(%x : tensor<8x4xf32, #rows>) outs(%e : tensor<8x4xf32, #rows>)
    // after
    %2 = linalg.exp {npu.tile = 0 : i64} ins(%x0 : tensor<4x4xf32>) outs(%e0 : tensor<4x4xf32>)
    %3 = linalg.exp {npu.tile = 1 : i64} ins(%x1 : tensor<4x4xf32>) outs(%e1 : tensor<4x4xf32>)
    ```
  }];
  let options = [
    HostFallbackOption,
    Option<"verifyBefore", "verify-before", "bool", /*default=*/"true",
           "verify distributions first">,
    Option<"verifyAfter", "verify-after", "bool", /*default=*/"true",
           "verify the tile program afterwards">,
  ];
  let dependentDialects = ["::npu::NPUDialect", "::mlir::arith::ArithDialect",
                           "::mlir::linalg::LinalgDialect",
                           "::mlir::tensor::TensorDialect"];
}

def VerifyTileProgram : Pass<"npu-verify-tile-program", "::mlir::ModuleOp"> {
  let summary = "verify that every tile uses only tensors of its own";
  let description = [{
    Changes nothing. An operation with `npu.tile` takes tensors of that tile
    only, one without takes tensors in DDR; a `npu.transfer` takes its source from
    the tile that it names and writes the tiles that it names. The parts that
    are read of a tensor which transfers and local copies put together have been
    written before, and so has the whole of every result.

    The offsets of a transfer select its box: in DDR, where tensors are whole,
    they are the box's own indices; on a tile they are counted from the first
    index of the tile's part. Where the part begins follows from loads, through
    slices, insertions, loops, branches and structured operations with their
    windows, and has to be one index wherever it follows in two ways.
    `npu.begin = array<i64: ...>` on an operation says where its result begins, in
    memory order, when that is a part of a tensor with indices of its own (a slice
    of the model, a reshape). `npu.offset = array<i64: ...>` on a slice or an
    insertion says where that tensor begins in the one that it is taken from or put
    into, so that the parts' own beginnings still follow from each other: of
    `tensor.extract_slice %t[0, 4] ... {npu.offset = array<i64: 0, 4>}`, the result
    begins where `%t` does. Of one operand or result of the model's operation,
    which `npu.of` numbers, all tiles have the same offset. A slice of the model has
    its sizes and strides after the offsets; any other slice or insertion of a tile
    has stride 1. On a tile's `npu.permute_cast` the attributes give a whole part the
    indices of another tensor.

    A reshape relates beginnings, too, by the extents of the whole tensor with more
    dimensions: those of the part, or `npu.extents = array<i64: ...>`. An
    expand_shape lists the extents of its result's type.

    A tile reduces whole dimensions, from their first entry to their last: no load
    and no slice may cut what is reduced, but a slice of the model to the sizes that
    it says. An operation that reduces runs each reduced loop as often as
    `npu.extents` says; that has to be there where it does not follow from tensors
    in DDR and slices of the model. A structured operation has entries for all of
    its iterations.

    A transfer writes into a tensor.empty, or into what other transfers and
    insertions have made of one, entries that nobody has written; a tensor that
    transfers have not finished has no other use.

    Every part lies in one memory order: `npu.order = array<i64: ...>` on the
    operation that makes it, or that of the tensor which the operation writes over
    or views, or else the logical order. The orders of a transfer are those of its
    source and its destinations, and transfers that put one tensor together name
    one source order and one destination order. A `npu.permute_cast` with
    `npu.order` is a view of the same memory in another order.

    A loop of a structured operation that no result has reduces all of its range on
    every tile, and so begins at 0. What the model hands on unwritten, to calls,
    loops, branches and bodies, is marked as padding (`npu.padding`), and no
    operation of a tile and no transfer uses it; any other tensor has been written,
    but for entries that its tensor.empty marks as padding. Such a mark is the part,
    at `npu.begin`, of one of the paddings that the function lists
    (`npu.paddings`).

    Requires: a tile program. Guarantees on success: every local read lies inside
    what that tile holds; a transfer with another offset, box, size, sender or
    receiver than it had is refused, as is a program without a transfer that is
    needed.

    Example of a refusal: `'linalg.exp' of tile 1 uses operand #0 of tile 0; only
    npu.transfer crosses tiles`, or `expected box [0:2, 3:6] at [0, 3] of its
    source, got [0, 2]`.
  }];
  let dependentDialects = ["::npu::NPUDialect"];
}

def PrintTileProgram : Pass<"npu-print-tile-program", "::mlir::ModuleOp"> {
  let summary = "print what each tile does and holds; with tile=N, step by step";
  let description = [{
    One line for each tile of each function: how many operations it does, the most
    bytes that it holds at one time, and the bytes that it sends to and receives
    from other tiles, loads from DDR and stores there. With `tile=N`, what tile N
    does follows in order: its operations, and its transfers with the other tiles,
    the box and the bytes; after each, the bytes that the tile holds then.

    Of a function with layouts, a copy is lowered by `npu-lower-to-tiles`; of a
    tile program, the steps are those that are there. Changes nothing.

    Operations are those that compute or copy: tensors that nobody has written,
    slices and reshapes are none. Bytes are counted on tensors: a part is held from the
    operation that first writes it to its last use, and what a loop uses or hands on
    is held for the whole loop. An operation writes in the place of its output where
    nobody else reads that. Buffers get their places later, and what they take,
    alignment and copies included, is what `npu-plan-scratchpad=report` prints. What is
    in a loop or a branch counts once; a multicast counts once for its sender and once
    for each receiver.

    Example with `tile=1`, of a function with two tiles:

    ```text
    function @main, 2 tiles
      tile 0: 2 operations, holds at most 64 bytes, sends 16, receives 16, loads 32, stores 32
      tile 1: 2 operations, holds at most 64 bytes, sends 16, receives 16, loads 32, stores 32
    tile 1 of @main, step by step
        1  loads [2:4, 0:4], 32 bytes, at model.mlir:8:17; holds 32 bytes
        2  tensor.insert_slice at model.mlir:10:10; holds 64 bytes
        3  receives [0:2, 2:4], 16 bytes, from tile 0, at model.mlir:10:10; holds 64 bytes
        4  sends [2:4, 0:2], 16 bytes, to tile 0, at model.mlir:10:10; holds 64 bytes
        5  linalg.exp at model.mlir:10:10; holds 64 bytes
        6  stores [0:4, 2:4], 32 bytes, at model.mlir:12:3; holds 32 bytes
    ```
  }];
  let options = [
    Option<"tile", "tile", "int64_t", /*default=*/"-1",
           "the tile whose steps are printed; -1: of none">,
    Option<"format", "format", "std::string", /*default=*/"\"text\"",
           "text or json">,
    Option<"outputFile", "output-file", "std::string", /*default=*/"\"-\"",
           "file to write to, - for standard output">,
  ];
  let dependentDialects = ["::npu::NPUDialect", "::mlir::arith::ArithDialect",
                           "::mlir::linalg::LinalgDialect",
                           "::mlir::tensor::TensorDialect"];
}

def PrintPlacement : Pass<"npu-print-placement", "::mlir::ModuleOp"> {
  let summary = "print on which device every operation runs, and why";
  let description = [{
    The placement report: for each operation of the program its device, the
    kernel that computes it, how often it runs, the bytes that it moves between
    devices, and the reason. Of a function with layouts, a copy is lowered by
    `npu-lower-to-tiles`; of a tile program, a function without layouts or a
    program on buffers, the operations are those that are there. Changes nothing.

    Operations on a tile run on the NPU, all others on the host. Slices,
    reshapes, constants, unwritten tensors and transfers are no rows, nor are
    loops and branches around rows; a loop on the CPU that has only scalars and
    single entries in it is one row. In the text, operations that differ in their
    tile alone share a line, and of a function with more than 40 lines also those
    with equal kernels: "28 of linalg.matmul f16xf16->f32" at the first of them.
    Above them is a line for each reason for which the host runs some, with what
    would bring these back. *From tiles* are the bytes that an operation on the
    CPU gets from scratchpads, *to tiles* those of its results that scratchpads
    get; each transfer counts once, for the first operation that needs it. In a
    program on buffers, they are not known.

    `on-npu` makes the first operation that falls back to the host an error. What
    only fills or moves what lies in DDR, as the edges of a padded function do,
    computes nothing.

    JSON has, for each function, `host`, with an object for each such reason, and
    `rows`, with one for each operation of each tile: `row` (its number), `op`,
    `location`, `device` (`NPU.0` or `CPU`), `tile` (null on the CPU), `kernel`,
    `reason`, `computes`, `bytes_from_tiles` and `bytes_to_tiles` (null where not
    known), `runs_at_least` and `runs_at_most` (null: any number) for one run of
    the function, and after a run `executed`.

    Requires: distributions that `npu-verify-distributions` accepts, or none.
    Guarantees: `npu-run --placement-report` finds each row executed where it is
    said to be.

    Example: a product on two tiles, and a lookup that the CPU does.

    ```text
    function @main: 2 operations on the NPU, 1 on the host, 64 bytes from tiles to the host, 0 back
      device           kernel                        runs  from tiles  to tiles  at              reason
      NPU.0 tiles 0-1  linalg.matmul f32xf32->f32    1     0           0         model.mlir:5:8  the tile holds its part
      CPU              tensor.gather f32xindex->f32  1     64          0         model.mlir:7:8  it is not known which part of its operands it reads
    ```
  }];
  let options = [
    Option<"onNpu", "on-npu", "bool", /*default=*/"false",
           "an error where the CPU computes anything">,
    Option<"format", "format", "std::string", /*default=*/"\"text\"",
           "text or json">,
    Option<"outputFile", "output-file", "std::string", /*default=*/"\"-\"",
           "file to write to, - for standard output; empty: nothing is written">,
  ];
  let dependentDialects = ["::npu::NPUDialect", "::mlir::arith::ArithDialect",
                           "::mlir::linalg::LinalgDialect",
                           "::mlir::tensor::TensorDialect"];
}

#endif // NPU_CONVERSION_LOWERTOTILES_PASSES_TD
