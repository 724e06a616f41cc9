// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception

#ifndef NPU_DIALECT_NPU_IR_NPUDIALECT_TD
#define NPU_DIALECT_NPU_IR_NPUDIALECT_TD

include "mlir/IR/DialectBase.td"

def NPU_Dialect : Dialect {
  let name = "npu";
  let summary = "How tensors are distributed over the tiles of an NPU";
  let description = [{
    A distribution rides on a builtin tensor as its encoding, so that linalg,
    tensor, arith, math and func operations carry it unchanged. The operations
    of this dialect express what those dialects cannot: the same memory read
    under
    another shape (`npu.permute_cast`), the same boxes under another label or
    a part of them (`npu.distribution_cast`), and the one thing that moves data
    between tiles (`npu.redistribute`).

    Words, in one line each: a *tile* is one compute slice with its own
    scratchpad; a *box* is a half-open range per dimension in whole-tensor
    coordinates; a tile's *compute box* is what it produces and owns, its
    *memory box* what it holds; a *placement* is both boxes for every tile. A
    label is a short form of the boxes, which alone count. docs/concepts.md
    explains the rest.

    Attributes of this dialect on operations, arguments and results of others.
    Each is verified wherever it stands; another name that begins with `npu.` is
    an error.

    | attribute | stands on | is | says |
    |---|---|---|---|
    | `npu.layout` | a function's argument or result | a `#npu.layout` | the layout that npu-assign-distributions has to give it |
    | `npu.padding` | an operation, a function's argument | a dictionary, or an array of them | which entries of the tensor are padding |
    | `npu.prompt_dim` | a function's argument | an integer, or an array of them | which dimensions have the prompt's length |
    | `npu.dim_names` | a function's argument | an array of strings, one for each dimension | what the model calls dimensions, `""` where it says nothing: dimensions of two names may have different extents |
    | `npu.prompt_length` | a function's argument | a unit | the argument is the prompt's length |
    | `npu.cache` | a function's argument | a string: the `npu.name` of a result, or its number, as in `"#1"` | the argument is a cache, which that result [continues](../state.md) |
    | `npu.cache_dim` | a function's argument | an integer | which dimension of a cache has one entry per position |
    | `npu.cache_offset` | a function's argument | a unit | the argument is the position of the prompt's first row |
    | `npu.precision` | an operation of linalg | a `#npu.precision` | the element types that it stores, accumulates and computes in |
    | `npu.split_reduction` | an operation | a dictionary | in which parts a sum was cut, and of which reduction |
    | `npu.tiles` | a function | an i64 from 1 to 4096 | for how many tiles the program is |
    | `npu.tile` | an operation | an i64 from 0 to 4095 | the tile that does it; without it, DDR |
    | `npu.begin` | an operation with one result | an array of i64 | where the part begins in its tensor, in memory order |
    | `npu.offset` | a tile's `tensor.extract_slice`, `tensor.insert_slice`, `npu.permute_cast` | an array of i64 | where the slice begins in the whole tensor, in memory order, and after that the sizes and the strides of a slice of the model |
    | `npu.of` | what has `npu.offset` | an i64, at least 0 | a number that the parts of one operand or result of the model's operation have on all tiles, and no others |
    | `npu.order` | an operation with one result | an array of i64, a permutation | in which memory order the part lies, where it is another one than logical order |
    | `npu.extents` | a reshape, an operation that reduces, a slice or an insertion that a run places | an array of i64, each at least 0 | extents of the model that the part does not have: all of the tensor with more dimensions that is reshaped or made, in memory order, where the part has others; those of the loops that are reduced; those that the slice may be anywhere in |
    | `npu.paddings` | a function | an array of what `npu.padding` lists | which paddings the tensors of a tile program have, as whole tensors in memory order |
    | `npu.arena` | a function's argument | an i64 from 0 to 4095 | the argument is this tile's scratchpad |
    | `npu.result` | a function's result | an i64, at least 0 | which of all results this scalar is |
    | `npu.name` | a function's argument or result | a string | what the model calls it |
    | `npu.unsigned` | a function's argument or result of integers | a unit | its integers have no negative numbers |
    | `npu.device` | a module | a [device string](../devices.md#device-strings) | on which device the module is to run |
    | `npu.host` | an operation in a function | a string | why the host does it, and not the tiles |
    | `npu.steps` | an operation of linalg, a pad of what one reads; loops, slices, pads and insertions that are made of one | a dictionary; a unit | in [which steps](passes.md) it runs; that steps cut, pad or store in place |
    | `npu.slots` | a loop that is made of steps | an i64 from 1 to 8 | how many slots the buffers have that its rounds fill |
    | `npu.matrix_cycles`, `npu.vector_cycles`, `npu.load_cycles` | an operation in a function | an array of i64, each at least 0 | what each tile's part of it takes, or on such a part what it takes, by the engine that does it or as loads from DDR |
    | `npu.storage` | an operation in a function, a function's argument | `"linear"` or `"tiled2d"`, which takes a tensor of rank 4 | the [storage kind](../storage.md) in which tiles hold the result, or the argument |
    | `npu.phase` | `async.execute` | an i64, at least 0 | the phase that the task belongs to |
  }];
  let discardableAttrs = (ins
    "::mlir::Attribute":$layout,
    "::mlir::Attribute":$padding,
    "::mlir::Attribute":$prompt_dim,
    "::mlir::ArrayAttr":$dim_names,
    "::mlir::Attribute":$prompt_length,
    "::mlir::StringAttr":$cache,
    "::mlir::IntegerAttr":$cache_dim,
    "::mlir::Attribute":$cache_offset,
    "::mlir::Attribute":$precision,
    "::mlir::DictionaryAttr":$split_reduction,
    "::mlir::IntegerAttr":$tiles,
    "::mlir::IntegerAttr":$tile,
    "::mlir::DenseI64ArrayAttr":$begin,
    "::mlir::DenseI64ArrayAttr":$offset,
    "::mlir::IntegerAttr":$of,
    "::mlir::DenseI64ArrayAttr":$order,
    "::mlir::DenseI64ArrayAttr":$extents,
    "::mlir::ArrayAttr":$paddings,
    "::mlir::IntegerAttr":$arena,
    "::mlir::IntegerAttr":$result,
    "::mlir::StringAttr":$name,
    "::mlir::UnitAttr":$unsigned,
    "::mlir::StringAttr":$device,
    "::mlir::StringAttr":$host,
    "::mlir::StringAttr":$storage,
    "::mlir::IntegerAttr":$phase);
  let cppNamespace = "::npu";
  // Gathers and scatters become slices.
  let dependentDialects = ["::mlir::tensor::TensorDialect"];
  let hasOperationAttrVerify = 1;
  let hasRegionArgAttrVerify = 1;
  let hasRegionResultAttrVerify = 1;
  let extraClassDeclaration = [{
    /// The placement that `layout` gives a tensor of `shape`, or why there is
    /// none; computed once per pair. The reference lives as long as the context.
    /// Safe to call from several threads. Precondition: the layout has a
    /// distribution.
    const Result<Placement> &getPlacement(LayoutAttr layout,
                                          const Extents &shape);
    /// The same for a type, by which it is found sooner. Precondition: the type
    /// has a distribution and a static shape of rank at most kMaxRank.
    const Result<Placement> &getPlacement(::mlir::RankedTensorType type);

    /// A layout is parsed once for each way that it is spelled.
    ::mlir::Attribute parseAttribute(::mlir::DialectAsmParser &parser,
                                     ::mlir::Type type) const override;
    void printAttribute(::mlir::Attribute attr,
                        ::mlir::DialectAsmPrinter &printer) const override;

  private:
    std::shared_ptr<PlacementCache> placements;
    std::shared_ptr<ParsedLayouts> parsedLayouts;

  public:
  }];
}

#endif // NPU_DIALECT_NPU_IR_NPUDIALECT_TD
