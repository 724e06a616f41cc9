// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception

#ifndef NPU_DIALECT_NPU_IR_NPUOPS_TD
#define NPU_DIALECT_NPU_IR_NPUOPS_TD

include "npu/Dialect/NPU/IR/NPUAttributes.td"
include "npu/Interfaces/LayoutChangeOpInterface.td"
include "mlir/IR/OpBase.td"
include "mlir/IR/OpAsmInterface.td"
include "mlir/Interfaces/DestinationStyleOpInterface.td"
include "mlir/Interfaces/InferTypeOpInterface.td"
include "mlir/Interfaces/SideEffectInterfaces.td"

class NPU_Op<string mnemonic, list<Trait> traits = []>
    : Op<NPU_Dialect, mnemonic, traits>;

def NPU_PermuteCastOp : NPU_Op<"permute_cast", [Pure, NPU_LayoutChangeOpInterface]> {
  let summary = "re-read the same memory under another shape and order";
  let description = [{
    Moves no byte, on no tile. With `toMem(v, O)[m] = v[O[m]]`,
    `toLog(w, O)[O[m]] = w[m]` and `perm(w, P)[i] = w[P[i]]`, and shapes, boxes,
    tile counts, alignments and windows all mapped by the same rule:

        out = toLog(perm(toMem(in, in_order), mem_perm), out_order)

    Whether the distributions of the two sides agree is not this operation's own
    affair: a mismatch parses, `npu-verify-distributions` explains it and
    `npu-legalize-distributions` repairs it.

    Example:

    ```mlir
    // 28 heads on four tiles; NHWC memory of 1x128x28x336 is 1x28x336x128 again.
    %1 = npu.permute_cast %0 mem_perm = [0, 1, 2, 3]
        : tensor<1x28x336x128xf16, #npu.layout<SEGMENTED, tiles = [1, 4, 1, 1]>>
       to tensor<1x128x28x336xf16, #npu.layout<SEGMENTED, tiles = [1, 1, 4, 1], order = NHWC>>
    ```

    Constraints:

    1. Ranks are equal and at most 8, and `mem_perm` is a permutation of that rank.
    2. The result's shape follows from `mem_perm` and the two orders.
    3. `mem_perm` is trivial: dimensions of extent other than 1 keep their relative order.
    4. Element types are equal.
    5. Both sides are stored linearly.
  }];
  let arguments = (ins AnyRankedTensor:$input, DenseI64ArrayAttr:$mem_perm);
  let results = (outs AnyRankedTensor:$result);
  let assemblyFormat = [{
    $input `mem_perm` `=` $mem_perm attr-dict `:` type($input) `to` type($result)
  }];
  let extraClassDeclaration = [{ bool keepsIndices() { return false; } }];
  let hasVerifier = 1;
  let hasFolder = 1;
  let hasCanonicalizer = 1;
}

def NPU_DistributionCastOp : NPU_Op<"distribution_cast", [Pure, NPU_LayoutChangeOpInterface]> {
  let summary = "relabel or narrow a distribution, 0 bytes";
  let description = [{
    The same data where it already is, under another label, or a part of what
    each tile holds. Never moves a byte.

    Example:

    ```mlir
    %1 = npu.distribution_cast %0
        : tensor<1x128x28x336xf16, #npu.layout<SEGMENTED, tiles = [1, 1, 4, 1], order = NHWC>>
       to tensor<1x128x28x336xf16, #npu.layout<OVERLAPPED, tiles = [1, 1, 4, 1], order = NHWC>>
    ```

    Constraints:

    1. Shapes, element types, orders and storage kinds are equal.
    2. Both sides are distributed.
    3. Every tile's target memory box lies inside its source memory box, and is
       the same under `storage = tiled2d`.
  }];
  let arguments = (ins AnyRankedTensor:$input);
  let results = (outs AnyRankedTensor:$result);
  let assemblyFormat = [{
    $input attr-dict `:` type($input) `to` type($result)
  }];
  let hasVerifier = 1;
  let hasFolder = 1;
  let hasCanonicalizer = 1;
}

def NPU_RedistributeOp : NPU_Op<"redistribute", [Pure, NPU_LayoutChangeOpInterface]> {
  let summary = "the same values under a new placement; moves data";
  let description = [{
    The only operation that moves data between tiles. From a tensor that is not
    distributed it is a load from DDR, to one that is not it is a store.
    `npu-print-transfers` lists the transfers, their bytes and the least bytes
    possible. A change of `order` or `storage` re-lays bytes inside tiles: it
    never folds away and is counted as `bytes_relaid`. Canonicalization makes a
    change of the storage an npu.convert_storage of its own.

    Example:

    ```mlir
    // heads to sequence: every tile sends three quarters of what it holds
    %1 = npu.redistribute %0
        : tensor<1x28x336x128xf16, #npu.layout<SEGMENTED, tiles = [1, 4, 1, 1]>>
       to tensor<1x28x336x128xf16, #npu.layout<SEGMENTED, tiles = [1, 1, 4, 1]>>
    ```

    Constraints:

    1. Shapes and element types are equal.
  }];
  let arguments = (ins AnyRankedTensor:$input);
  let results = (outs AnyRankedTensor:$result);
  let assemblyFormat = [{
    $input attr-dict `:` type($input) `to` type($result)
  }];
  let extraClassDeclaration = [{ bool movesData() { return true; } }];
  let hasVerifier = 1;
  let hasFolder = 1;
  let hasCanonicalizer = 1;
}

def NPU_ConvertStorageOp
    : NPU_Op<"convert_storage", [Pure, NPU_LayoutChangeOpInterface]> {
  let summary = "the same values where they are, in another storage kind";
  let description = [{
    Every tile puts what it holds into another storage kind
    ([storage kinds](../storage.md)). No byte goes to another tile, and no value
    changes; the bytes are counted as `bytes_relaid`.

    Example:

    ```mlir
    %1 = npu.convert_storage %0
        : tensor<1x64x56x56xf16, #npu.layout<SEGMENTED, tiles = [1, 4, 1, 1]>>
       to tensor<1x64x56x56xf16, #npu.layout<SEGMENTED, tiles = [1, 4, 1, 1], storage = tiled2d>>
    ```

    In a tile program, where tensors have no layouts, it is between a tensor of
    rank 4 and its image:

    ```mlir
    %1 = npu.convert_storage %0 {npu.tile = 0 : i64}
        : tensor<1x3x5x6xf16> to tensor<1x5x1x6x4xf16>
    ```

    Constraints:

    1. Element types are equal.
    2. With layouts, shapes and distributions are equal. One side is stored
       linearly and the other is not.
    3. Without layouts, a tile does it (`npu.tile`), and one side has rank 4 and
       the other the shape [N, H, ceil(C/4), W, 4] of its image.
  }];
  let arguments = (ins AnyRankedTensor:$input);
  let results = (outs AnyRankedTensor:$result);
  let assemblyFormat = [{
    $input attr-dict `:` type($input) `to` type($result)
  }];
  let extraClassDeclaration = [{
    bool movesData() { return true; }
    /// In a tile program, an image has other indices than the tensor.
    bool keepsIndices() { return getInput().getType().getRank() == getType().getRank(); }
    /// Whether the result is the image.
    bool packs();
  }];
  let hasVerifier = 1;
  let hasFolder = 1;
}

/// Positions in a tensor: the last dimension lists coordinates, which a run
/// reads as 64 bits.
def NPU_Coordinate
    : Type<Or<[Index.predicate,
               And<[AnySignlessInteger.predicate,
                    CPred<"$_self.getIntOrFloatBitWidth() >= 1 && "
                          "$_self.getIntOrFloatBitWidth() <= 64">]>]>,
           "index or signless integer of 1 to 64 bits">;
def NPU_IndexTensor : RankedTensorOf<[NPU_Coordinate]>;

/// Operations that read or write entries at positions that are known at run
/// time. Their effect is their result; a position that is not there ends the
/// run, so that they are not moved to where they would not run.
class NPU_AtPositionsOp<string mnemonic>
    : NPU_Op<mnemonic, [NoMemoryEffect,
          DeclareOpInterfaceMethods<ReifyRankedShapedTypeOpInterface,
                                    ["reifyResultShapes"]>]> {
  string positionsDeclaration = [{
    /// The dimensions of the tensor in which a tuple of `indices` is a
    /// position: as many as a tuple has, after the batch dimensions.
    int64_t getDepth() {
      ::mlir::RankedTensorType type = getIndices().getType();
      return type.getDimSize(type.getRank() - 1);
    }
    /// The first dimension of the tensor that a tuple says nothing of.
    int64_t getFirstWhole() { return getBatchDims() + getDepth(); }
  }];
  let hasVerifier = 1;
  let hasCanonicalizer = 1;
}

def NPU_GatherOp : NPU_AtPositionsOp<"gather"> {
  let summary = "slices of a tensor at positions that another tensor lists";
  let description = [{
    The last dimension of `indices` has tuples of k coordinates. A tuple is a
    position in the k dimensions of `data` after the first `batch_dims`; entries
    of the dimensions after these are taken whole. With b batch dimensions, for
    every position (p, q) of a tuple, p being b coordinates:

        result[p, q, w] = data[p, indices[p, q, 0], ..., indices[p, q, k - 1], w]

    A negative coordinate counts from the end of the dimension that it is a
    coordinate of. One that is still outside of it ends the run with an error at
    the operation, unless the result has no entries. This is GatherND of ONNX and
    of OpenVINO.

    Example: rows 2, 0 and the last one of a table.

    ```mlir
    %1 = npu.gather %table at %rows
        : tensor<4x8xf16>, tensor<3x1xi32> -> tensor<3x8xf16>
    ```

    Constraints:

    1. A tuple has a number of coordinates that is known, at least 1, and `data`
       has that many dimensions after its batch dimensions.
    2. Batch dimensions are dimensions of `data` and of `indices` without the
       last, of the same extents.
    3. The result has the dimensions of `indices` without the last, and then
       those of `data` that are taken whole, and the element type of `data`.
  }];
  let arguments = (ins
    AnyRankedTensor:$data,
    NPU_IndexTensor:$indices,
    DefaultValuedAttr<ConfinedAttr<I64Attr, [IntNonNegative]>, "0">:$batch_dims);
  let results = (outs AnyRankedTensor:$result);
  let assemblyFormat = [{
    $data `at` $indices attr-dict
    `:` type($data) `,` type($indices) `->` type($result)
  }];
  let extraClassDeclaration = positionsDeclaration;
}

def NPU_ScatterOp : NPU_AtPositionsOp<"scatter"> {
  let summary = "a tensor with slices replaced at positions that another lists";
  let description = [{
    `data`, in which the slice that a tuple of `indices` names is replaced by the
    slice of `updates` with the tuple's own place, tuple after tuple in row-major
    order: of two tuples with the same position, the later one counts. With b
    batch dimensions and tuples of k coordinates, for every (p, q) in that order:

        result = data
        result[p, indices[p, q, 0], ..., indices[p, q, k - 1], w] = updates[p, q, w]

    Negative coordinates and those outside of their dimension are as those of
    npu.gather, but that they are an error also where the result has no entries.
    Without tuples the result is `data`. This is ScatterND of ONNX
    without a reduction, and ScatterNDUpdate of OpenVINO.

    Constant positions that form a box make it a tensor.insert_slice where it is
    canonicalized: rows 2, 3 and 4, or every entry of rows 0 and 1 of a matrix with
    three columns; and rows 2, 4 and 6 of ten, which are the first of five pairs. An
    npu.gather becomes a tensor.extract_slice.

    `origin` and `whole` stand in tile programs, where `data` is a part of a
    tensor: its first entry lies at `origin` in the dimensions of a tuple, whose
    extents are `whole`. Coordinates are those of the whole tensor, and a tuple
    that names a slice of another part changes nothing.

    Example: row 2 is replaced by row 0 of the updates, and the last row by row
    1, where the rows are 2 and -1.

    ```mlir
    %1 = npu.scatter %updates into %table at %rows
        : tensor<2x8xf16>, tensor<4x8xf16>, tensor<2x1xi32> -> tensor<4x8xf16>
    ```

    Constraints:

    1. A tuple has a number of coordinates that is known, at least 1, and `data`
       has that many dimensions after its batch dimensions.
    2. Batch dimensions are dimensions of `data` and of `indices` without the
       last, of the same extents.
    3. `updates` has the dimensions of `indices` without the last, and then
       those of `data` that a tuple says nothing of, and the element type of
       `data`.
    4. The result has the shape and the element type of `data`.
    5. `origin` and `whole` are given both or neither, with one number for each
       coordinate of a tuple, and the part lies inside of the whole.
  }];
  let arguments = (ins
    AnyRankedTensor:$updates,
    AnyRankedTensor:$data,
    NPU_IndexTensor:$indices,
    DefaultValuedAttr<ConfinedAttr<I64Attr, [IntNonNegative]>, "0">:$batch_dims,
    OptionalAttr<DenseI64ArrayAttr>:$origin,
    OptionalAttr<DenseI64ArrayAttr>:$whole);
  let results = (outs AnyRankedTensor:$result);
  let assemblyFormat = [{
    $updates `into` $data `at` $indices attr-dict
    `:` type($updates) `,` type($data) `,` type($indices) `->` type($result)
  }];
  let extraClassDeclaration = positionsDeclaration;
}

/// What a transfer reads from and writes to: a tensor, or a buffer after
/// bufferization.
def NPU_TransferSide
    : AnyTypeOf<[AnyStaticShapeTensor, AnyStaticShapeMemRef],
                "statically shaped tensor or memref", "::mlir::ShapedType">;

def NPU_TransferOp : NPU_Op<"transfer", [
    DestinationStyleOpInterface,
    DeclareOpInterfaceMethods<MemoryEffectsOpInterface>,
    DeclareOpInterfaceMethods<ConditionallySpeculatable>,
    DeclareOpInterfaceMethods<OpAsmOpInterface, ["getAsmResultNames"]>]> {
  let summary = "copy one box from one tile (or DDR) to one or more tiles (or DDR)";
  let description = [{
    Stands in tile programs, where every tile's part of a tensor is an ordinary
    tensor of its own shape, dimensions in memory order. The box is in
    coordinates of the whole tensor, in logical order; the bracketed offsets say
    where it begins inside the source and inside each destination, in their own
    memory order. Results are the destinations with the box written.

    `source_order` and `dest_order` give the memory orders (identity when
    absent); where they differ, the transfer re-lays the box.

    Syntax, where an endpoint is `tile` and its number, or `ddr`:

    ```
    npu.transfer source[offsets] from endpoint to endpoint, ...
        into dest[offsets], ... box [begin:end, ...] bytes = number attr-dict
        : source-type to dest-type, ...
    ```

    Example:

    ```mlir
    // tile 0 sends rows 2 and 3 of an 8x4 tensor to tiles 1 and 2
    %1, %2 = npu.transfer %part[2, 0] from tile 0 to tile 1, tile 2
        into %a[0, 0], %b[0, 0] box [2:4, 0:4] bytes = 16
        : tensor<4x4xf16> to tensor<4x4xf16>, tensor<6x4xf16>
    ```

    In a program on buffers (`npu-to-buffers`) source and destinations are
    memrefs, the transfer has no results, reads its source and writes its
    destinations. It stays one operation until `npu-lower-transfers`, so that a
    back end can give it to a DMA engine: `from` and `to` are the tiles, and the
    box at its offset is the strided part of each buffer.

    ```mlir
    npu.transfer %part[2, 0] from tile 0 to tile 1, tile 2
        into %a[0, 0], %b[0, 0] box [2:4, 0:4] bytes = 16
        : memref<4x4xf16, 1> to memref<4x4xf16, 2>, memref<6x4xf16, 3>
    ```

    Source and destinations of a transfer on buffers may be one buffer, as long
    as the part that is read and those that are written lie apart, or are the same
    one in the same order. That is verified of one value; two values that are views
    of one memory have to lie apart, as those of `memref.copy`.

    Constraints:

    1. There are as many destinations as receivers, at least one; a transfer to DDR has one receiver. Tiles are numbered from 0 to 4095.
    2. Either all sides are tensors without a layout, and there is one result for each destination, or all are memrefs, and there are no results.
    3. Ranks and element types are equal; offsets are one per dimension.
    4. Orders are permutations of that rank.
    5. The box begins at 0 or above in every dimension. Permuted by each side's order and placed at its offsets, it lies inside that side's tensor or buffer.
    6. `bytes` is the size of the box times the element size, rounded up to whole bytes; the size in bits is known and fits in 63 bits.
    7. A buffer of DDR is in memory space 0, which may be left out, and a buffer of tile `n` in memory space `n + 1`.
    8. Where one buffer is the source and a destination, the part that is written lies apart from the part that is read, or is the same one in the same order.
  }];
  let arguments = (ins
    NPU_TransferSide:$source,
    Variadic<NPU_TransferSide>:$dests,
    DenseI64ArrayAttr:$source_offset,
    I64Attr:$from,
    DenseI64ArrayAttr:$to,
    DenseI64ArrayAttr:$dest_offsets,
    DenseI64ArrayAttr:$offset,
    DenseI64ArrayAttr:$size,
    I64Attr:$bytes,
    OptionalAttr<DenseI64ArrayAttr>:$source_order,
    OptionalAttr<DenseI64ArrayAttr>:$dest_order);
  let results = (outs Variadic<AnyStaticShapeTensor>:$results);
  let hasCustomAssemblyFormat = 1;
  let extraClassDeclaration = [{
    static constexpr int64_t ddr = -1;
    /// How a transfer spells an endpoint: "ddr", "tile 3".
    static std::string nameOfEndpoint(int64_t place);

    mlir::MutableOperandRange getDpsInitsMutable() { return getDestsMutable(); }
    /// The transferred box in whole-tensor coordinates.
    ::npu::Box getBox();
    ::npu::Permutation getSourceOrderOrIdentity();
    ::npu::Permutation getDestOrderOrIdentity();
    /// Where the box begins in destination `i`.
    llvm::ArrayRef<int64_t> getDestOffset(unsigned i);
    /// The box's sizes in memory order of the source / the destinations.
    llvm::SmallVector<int64_t> getSourceSizes();
    llvm::SmallVector<int64_t> getDestSizes();
    /// The part of the source that is read, and the part of destination `i`
    /// that is written, in their own dimensions.
    ::npu::Box getSourcePart();
    ::npu::Box getDestPart(unsigned i);
  }];
  let hasVerifier = 1;
}

#endif // NPU_DIALECT_NPU_IR_NPUOPS_TD
