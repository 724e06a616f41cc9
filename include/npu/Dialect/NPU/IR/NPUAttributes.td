// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception

#ifndef NPU_DIALECT_NPU_IR_NPUATTRIBUTES_TD
#define NPU_DIALECT_NPU_IR_NPUATTRIBUTES_TD

include "npu/Dialect/NPU/IR/NPUDialect.td"
include "mlir/IR/AttrTypeBase.td"
include "mlir/IR/BuiltinAttributeInterfaces.td"
include "mlir/IR/TensorEncoding.td"

def NPU_LayoutAttr : AttrDef<NPU_Dialect, "Layout", [
    DeclareAttrInterfaceMethods<VerifiableTensorEncoding>,
    DeclareAttrInterfaceMethods<MemRefLayoutAttrInterface, [
      "isIdentity", "verifyLayout", "getStridesAndOffset"]>]> {
  let mnemonic = "layout";
  let summary = "a distribution over tiles, and the order of dimensions in memory";
  let description = [{
    The encoding of a ranked tensor: which tile computes and holds which box of
    it, and in which order its dimensions lie in memory.

    ```mlir
    tensor<1x28x336x128xf16, #npu.layout<SEGMENTED, tiles = [1, 4, 1, 1]>>
    tensor<1x128x28x336xf16, #npu.layout<OVERLAPPED, tiles = [1, 1, 4, 1], order = NHWC>>
    tensor<1x64x13x16xf16,   #npu.layout<OVERLAPPED, tiles = [1, 1, 4, 1], split = ceil, window = [[2, 3, 1, 1, 1]]>>
    tensor<1x64x13x16xf16,   #npu.layout<DUPLICATED, tiles = 4>>
    tensor<1x64x13x16xf16,   #npu.layout<SEGMENTED|DUPLICATED, tiles = [1, 4, 1, 1], align = [1, 16, 1, 1]>>
    tensor<1x8x8x4xf16,      #npu.layout<SEGMENTED, tiles = [1, 2, 2, 1], major = [2, 1]>>
    tensor<8x4xf16,          #npu.layout<SEGMENTED, tiles = [2, 1], copies = 2>>
    tensor<8x4xf16,          #npu.layout<OVERLAPPED, compute = [[0:4, 0:4], [4:8, 0:4]], memory = [[0:5, 0:4], [3:8, 0:4]]>>
    tensor<1x64x56x56xf16,   #npu.layout<order = NHWC>>
    tensor<1x64x56x56xf16,   #npu.layout<SEGMENTED, tiles = [1, 4, 1, 1], storage = tiled2d>>
    ```

    | item | meaning | default |
    |---|---|---|
    | mode | `SEGMENTED`, `OVERLAPPED`, `DUPLICATED`, `SEGMENTED\|DUPLICATED`, `SEGMENTED\|MULTICASTED` (two words in either order) | none: not distributed, in DDR |
    | `tiles` | tile count per dimension; one number under `DUPLICATED`, where a list counts as its product | |
    | `major` | the split dimensions, slowest-varying first | increasing |
    | `copies` | each box is held by this many consecutive tiles | 1 |
    | `split` | `balanced` or `ceil` | `balanced` |
    | `align` | alignment per dimension, for split dimensions | 1 |
    | `window` | per windowed dimension `[dim, kernel, stride, pad_lo, pad_hi]`, optionally a sixth `dilation` | no halo |
    | `compute`, `memory` | explicit boxes, one per tile; `compute` alone means memory is the same, `memory` alone that compute is the split | |
    | `order` | memory order of dimensions: a name (`NHWC`, `GNHWC`) or a list | identity |
    | `storage` | `linear`, or `tiled2d`: an image of N*H rows and ceil(C/4)*W places of 4 channels, C being dimension 1, in which every tile has its own box | `linear` |

    Items are parsed in any order and printed in this one.

    Under `DUPLICATED` every tile holds the whole tensor, so that `tiles = [4, 1]`
    and `tiles = 4` are the same placement on four tiles: no dimension is split.
    The list is kept as it is written, because dumps of the field compiler have
    it.

    A memref has no layout: it is one buffer in one memory, and `npu-to-buffers`
    makes one for each tile. A layout on a memref is an error.

    Constraints (a violation is an error where the layout is written):

    1. It says something: a mode, or an order.
    2. Tile counts are 1 to 4096, also their product times `copies`.
    3. Alignments, kernels, strides and dilations are positive, pads not negative.
    4. `major` is a permutation of the split dimensions.
    5. A window sits under `OVERLAPPED`, on an existing dimension, and not beside memory boxes.
    6. There is one box per tile; boxes are of one rank, and a memory box contains its compute box.
    7. `order` is a permutation. `storage = tiled2d` sits beside a mode, and not
       beside an order.

    and, where it meets a tensor:

    8. Ranks agree; a distributed tensor has a static shape of rank at most 8 whose size in bits, times the number of tiles, fits in 63 bits.
    9. Boxes lie inside the tensor, and compute boxes cover it.
    10. In the `SEGMENTED` modes two compute boxes are disjoint or equal.
    11. A tensor under `storage = tiled2d` has rank 4.
  }];
  let parameters = (ins AttrParameter<"::npu::Layout", "distribution and order", "const ::npu::Layout &">:$layout);
  let hasCustomAssemblyFormat = 1;
  let genVerifyDecl = 1;
  let extraClassDeclaration = [{
    bool isDistributed() const { return getLayout().distribution.has_value(); }
    const ::npu::Distribution &getDistribution() const {
      return *getLayout().distribution;
    }
    /// The order of dimensions in memory; empty for the identity.
    const ::npu::Permutation &getOrder() const { return getLayout().order; }
    ::npu::Storage getStorage() const { return getLayout().storage; }
  }];
}

def NPU_PrecisionAttr : AttrDef<NPU_Dialect, "Precision"> {
  let mnemonic = "precision";
  let summary = "the element types that an operation stores, accumulates and computes in";
  let description = [{
    What an operation of linalg does with its numbers, as the attribute
    `npu.precision` says it. Who writes a part of it asks for that;
    `npu-set-precision` makes the IR compute so and writes down all of it.

    ```mlir
    #npu.precision<storage = f16, accumulation = f32, intermediate = f32>
    #npu.precision<accumulation = f32>
    ```

    | item | the element type of | where it is not written |
    |---|---|---|
    | `storage` | the result in memory | what the result has |
    | `accumulation` | the sum, the product or the largest of a reduction while it grows; of an operation without one, nothing | what the reduction has |
    | `intermediate` | everything else that the body computes, as the products of a matrix product | the accumulation, where there is one, else what the body has |

    Constraints (a violation is an error where the attribute is written):

    1. At least one item is written.
    2. A type is one of f16, bf16, f32, f64, i8, i16, i32, i64.
    3. All are floats, or all are integers.
    4. Accumulation and intermediate hold every number that storage holds: bf16
       does not hold those of f16, nor the other way round.

    and, where it stands on an operation:

    5. The operation is one of linalg, and its results are floats where the types
       are, integers where they are.
  }];
  let parameters = (ins
    OptionalParameter<"::mlir::Type">:$storage,
    OptionalParameter<"::mlir::Type">:$accumulation,
    OptionalParameter<"::mlir::Type">:$intermediate);
  let assemblyFormat = "`<` struct(params) `>`";
  let genVerifyDecl = 1;
}

def NPU_KernelsAttr : AttrDef<NPU_Dialect, "Kernels"> {
  let mnemonic = "kernels";
  let summary = "the kernels of a device: which operations its tiles can run";
  let description = [{
    The entry `npu.kernels` of a target description, a table with one row for each
    kernel. An operation runs on tiles where a row takes it, and on the host
    otherwise: `npu-print-kernels` says which row that is, or what each row for
    such operations has against it ([kernels](../devices.md#kernels)).

    ```mlir
    #npu.kernels<
      {op = "contraction", inputs = [f16, i8], accumulators = [f16, f32, i32], ranks = [2, 4]},
      {op = "npu.scatter", indices = [i32, i16], extents = 1048576},
      {op = "elementwise"}>
    ```

    | item | is | the row takes | where it is not written |
    |---|---|---|---|
    | `op` | the name of an operation, or `contraction`, `convolution`, `pooling`, `reduction`, `elementwise`, `movement` or `lookup` | that operation, or operations of that structure | an error |
    | `inputs` | element types | operands of these element types, but for positions and outputs | any |
    | `indices` | types of integers, or `index` | positions of these element types, of npu.gather, npu.scatter and lookups | any |
    | `accumulators` | element types | where it reduces, outputs of these | any |
    | `results` | element types | results of these | any |
    | `orders` | memory orders, as `"NHWC"` | tensors of four dimensions in one of these orders (of as many dimensions as an order has); the assignment of layouts gives those of linalg the first of them | any |
    | `storage` | storage kinds, `"linear"`, `"tiled2d"` | tensors of rank 4 in one of these [kinds](../storage.md); the assignment of layouts chooses which | any; linear ones beside `orders` |
    | `ranks` | the least and the most number of dimensions | tensors of so many | any |
    | `extents` | a number | dimensions of at most so many entries | any |
    | `attributes` | names | attributes of the operation other than these only where they are at their default | none of a named operation; of a structure all, which its maps and its body say |

    Structures are those of operations of linalg: products that are added up
    (`contraction`), with a window (`convolution`), other operations with a window
    (`pooling`), others that reduce (`reduction`), those that compute each entry by
    itself (`elementwise`), those that compute nothing (`movement`), and those whose
    bodies read entries of further tensors (`lookup`). Other
    operations that do so have these structures, too. Those with positions,
    npu.gather and npu.scatter, have none, and need a row of their own.

    Constraints (a violation is an error where the row is written):

    1. `op` is a structure or an operation of a dialect that is there.
    2. Each item is one of the table, of the kind that it says, and a list is
       neither empty nor has anything twice.
    3. The least rank is not above the most one; extents are at least 1.
    4. No row takes only what an earlier row takes.
  }];
  let parameters = (ins ArrayRefParameter<"::mlir::DictionaryAttr">:$rows);
  let hasCustomAssemblyFormat = 1;
}

#endif // NPU_DIALECT_NPU_IR_NPUATTRIBUTES_TD
