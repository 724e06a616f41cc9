// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception

#ifndef NPU_CONVERSION_LOWERTOTILES_PASSES_TD
#define NPU_CONVERSION_LOWERTOTILES_PASSES_TD

include "npu/Dialect/NPU/Transforms/Verify/GatherOption.td"

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
    output of which a tile's part is written by no box of iterations) are done
    on gathered data in DDR: each operand is stored once, and unwritten tensors
    are made again. A
    warning says so, one for each operation name and reason, unless verification
    or legalization has said it before, or an error with `gather=error`; a remark
    (`gather`) says it of each, with the bytes that this costs.

    Requires: distributions that `npu-verify-distributions` accepts (it is run
    first). Guarantees: `npu-verify-tile-program` accepts the result (it is run
    afterwards).

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
    GatherOption,
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
    begins where `%t` does.

    Transfers that put one tensor together name one source order and one
    destination order.

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

#endif // NPU_CONVERSION_LOWERTOTILES_PASSES_TD
