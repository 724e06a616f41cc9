// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// Questions about operations of the tensor dialect that no interface asks.

#ifndef NPU_EXTERNALMODELS_TENSOR_TENSOROPS_H
#define NPU_EXTERNALMODELS_TENSOR_TENSOROPS_H

#include "mlir/IR/OpDefinition.h"
#include "mlir/IR/Operation.h"

#include <optional>

namespace npu {

/// Whether `op` is a tensor.cast. Between types that differ in their layouts it
/// is a redistribution: upstream's patterns write a change of encoding so.
bool isTensorCast(mlir::Operation *op);

/// Whether the result is a part of the operand or the whole of it in another
/// shape: a slice, a reshape, a tensor.cast. On buffers it is a view.
bool isPartOrReshape(mlir::Operation *op);

/// A reshape that divides dimensions of the coarser shape into groups of
/// dimensions of the finer one.
struct Reassociation {
  /// The dimensions of the finer shape that each dimension of the coarser one
  /// is made of.
  llvm::SmallVector<llvm::SmallVector<int64_t, 2>> groups;
  /// Whether the result has the finer shape.
  bool refines = false;
  /// The extents of the result that the operation lists beside its type, as an
  /// expand_shape does; empty where it lists none.
  llvm::SmallVector<int64_t> listed;
};

/// The groups of `op`, an expand_shape or a collapse_shape; nothing for other
/// operations.
std::optional<Reassociation> reassociationOf(mlir::Operation *op);

/// Whether the result is a part of operand #0, with as many dimensions.
bool isSliceOfSameRank(mlir::Operation *op);

/// Whether the result is operand #0 or a part of it at the same place in
/// memory, wherever the tensor lies as a whole: what isPartOrReshape knows, and
/// tensor.reshape.
bool isView(mlir::Operation *op);

/// Whether the result has the entries of operand #0, in other places, in
/// another type, or beside constants: what isPartOrReshape knows,
/// tensor.reshape, tensor.pad, and their kin in TOSA.
bool passesEntriesOn(mlir::Operation *op);

/// Whether tensors are put into the result beside each other or beside
/// constants: a concatenation, tensor.insert_slice, tensor.pad. Each entry is
/// written where the result's memory order has it.
bool putsBesideOthers(mlir::Operation *op);

/// The dimension along which `op`, a concatenation, puts its operands after
/// each other; nothing for other operations.
std::optional<int64_t> concatenatedAlong(mlir::Operation *op);

/// A write of one entry of a tensor.
struct EntryWrite {
  mlir::Value into;
  /// An index per dimension.
  llvm::SmallVector<mlir::OpFoldResult> position;
};

/// The write that `op`, a tensor.insert, does; nothing for other operations.
std::optional<EntryWrite> entryWrittenBy(mlir::Operation *op);

/// Whether the result is a slice of operand #0.
bool cutsOut(mlir::Operation *op);

/// Whether `use` is the slice that is inserted into another tensor.
bool isPutInto(mlir::OpOperand &use);

/// Whether `use` is the tensor that another one is inserted into as a slice.
bool isFilledBySlice(mlir::OpOperand &use);

/// The entry of a tensor that an operation reads alone (tensor.extract).
struct EntryRead {
  mlir::TypedValue<mlir::RankedTensorType> tensor;
  mlir::ValueRange indices;
};
std::optional<EntryRead> entryReadBy(mlir::Operation *op);

/// Whether only the shape of its tensor operand counts: tensor.dim,
/// tensor.rank.
bool asksForShapeOnly(mlir::Operation *op);

} // namespace npu

#endif // NPU_EXTERNALMODELS_TENSOR_TENSOROPS_H
