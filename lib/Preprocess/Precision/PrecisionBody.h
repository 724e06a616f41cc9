// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// What the body of a structured operation computes with, and the same body in
// other element types.

#ifndef NPU_LIB_PREPROCESS_PRECISION_PRECISIONBODY_H
#define NPU_LIB_PREPROCESS_PRECISION_PRECISIONBODY_H

#include "npu/Dialect/NPU/IR/Precision.h"

#include "mlir/Dialect/Linalg/IR/Linalg.h"

namespace npu {

/// Whether the output is an accumulator: the body reads it.
bool accumulates(mlir::linalg::LinalgOp op);

/// Whether the body computes nothing whose precision could be said: it only
/// moves or casts entries.
bool computesNothing(mlir::linalg::LinalgOp op);

/// Whether `op` casts each entry of one tensor and does nothing else.
bool isCast(mlir::Operation *op);

/// The types in which `op` runs as it stands, where `asked` does not say
/// others. `op` has one result.
Precision completed(mlir::linalg::LinalgOp op, const Precision &asked);

/// Whether the body computes in these types already.
bool bodyHas(mlir::linalg::LinalgOp op, const Precision &types);

/// An error where the body cannot be written in other types of that kind.
Result<> checkBody(mlir::linalg::LinalgOp op, bool floats);

/// `value` in the type `to`: rounded, or with its sign in front.
mlir::Value convertScalar(mlir::OpBuilder &builder, mlir::Location loc,
                          mlir::Value value, mlir::Type to);

/// Writes the body of `op` into the empty region `region`. Its arguments get
/// the types `arguments`, what depends on the accumulator is computed in
/// `types.accumulation`, everything else in `types.intermediate`, and the
/// result is yielded as a `yielded`. Requires: `checkBody`.
void writeBody(mlir::OpBuilder &builder, mlir::linalg::LinalgOp op,
               const Precision &types, mlir::TypeRange arguments,
               mlir::Type yielded, mlir::Region &region);

} // namespace npu

#endif // NPU_LIB_PREPROCESS_PRECISION_PRECISIONBODY_H
