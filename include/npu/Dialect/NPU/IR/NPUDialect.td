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
    of this dialect are what the others cannot say: the same memory read under
    another shape (`npu.permute_cast`), the same boxes under another label or
    a part of them (`npu.distribution_cast`), and the one thing that moves data
    between tiles (`npu.redistribute`).

    Words, in one line each: a *tile* is one compute slice with its own
    scratchpad; a *box* is a half-open range per dimension in whole-tensor
    coordinates; a tile's *compute box* is what it produces and owns, its
    *memory box* what it holds; a *placement* is both boxes for every tile. The
    boxes are the truth, the label is a view of them. docs/concepts.md tells
    the rest.
  }];
  let cppNamespace = "::npu";
  let hasOperationAttrVerify = 1;
  let hasRegionArgAttrVerify = 1;
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
