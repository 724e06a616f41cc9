// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// Questions about operations of tensor that no interface asks.

#ifndef NPU_EXTERNALMODELS_TENSOR_TENSOROPS_H
#define NPU_EXTERNALMODELS_TENSOR_TENSOROPS_H

#include "mlir/IR/OpDefinition.h"
#include "mlir/IR/Operation.h"

namespace npu {

/// A tensor.cast. Between types that differ in their layouts it is a
/// redistribution: upstream's patterns make it of a change of encoding.
bool isTensorCast(mlir::Operation *op);

/// One entry of a tensor, written over.
struct EntryWrite {
  mlir::Value into;
  /// An index per dimension.
  llvm::SmallVector<mlir::OpFoldResult> position;
};

/// What a tensor.insert writes; nothing of other operations.
std::optional<EntryWrite> entryWrittenBy(mlir::Operation *op);

/// Whether only the shape of its tensor operand counts: tensor.dim,
/// tensor.rank.
bool asksForShapeOnly(mlir::Operation *op);

} // namespace npu

#endif // NPU_EXTERNALMODELS_TENSOR_TENSOROPS_H
