// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// Lookups: structured operations that read entries of whole tensors at
// positions that their bodies compute, as gathers of TOSA and ONNX become.

#ifndef NPU_ANALYSIS_KERNELS_LOOKUP_H
#define NPU_ANALYSIS_KERNELS_LOOKUP_H

#include "npu/Interfaces/EntryReadOpInterface.h"

#include "mlir/Dialect/Linalg/IR/Linalg.h"
#include "llvm/ADT/SetVector.h"

namespace npu {

/// The reads of entries of whole tensors in the body of a structured operation,
/// those in nested regions as well.
llvm::SmallVector<EntryReadOpInterface> tableReads(mlir::linalg::LinalgOp op);

/// What the body computes some of its values from.
struct BodySlice {
  /// In their order in the body.
  llvm::SetVector<mlir::Operation *> operations;
  llvm::SetVector<mlir::BlockArgument> arguments;
};

/// What a body computes `values` from. Of a value of a nested region it has the
/// operations of the body that the region's operation needs.
BodySlice sliceOf(mlir::Block *body, mlir::ValueRange values);

/// The inputs of a structured operation that positions of its reads are
/// computed from: integers of more than one bit.
llvm::SmallVector<mlir::OpOperand *>
positionsOfLookup(mlir::linalg::LinalgOp op);

} // namespace npu

#endif // NPU_ANALYSIS_KERNELS_LOOKUP_H
