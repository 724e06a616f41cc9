// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// Tensors in another element type.

#ifndef NPU_LIB_PREPROCESS_PRECISION_CASTTENSOR_H
#define NPU_LIB_PREPROCESS_PRECISION_CASTTENSOR_H

#include "mlir/IR/Builders.h"
#include "mlir/IR/BuiltinTypes.h"

namespace npu {

/// The type of `value` with another element type, and the same layout.
mlir::RankedTensorType withElement(mlir::Value value, mlir::Type element);

/// An empty tensor of the shape of `like`, whose extents may be dynamic.
mlir::Value emptyLike(mlir::OpBuilder &builder, mlir::Location loc,
                      mlir::Value like, mlir::Type element);

/// Each entry of `tensor` in the type `element`: rounded, or extended.
mlir::Value castTensor(mlir::OpBuilder &builder, mlir::Location loc,
                       mlir::Value tensor, mlir::Type element);

/// What begins a result: as `castTensor`, but what is empty stays so, and what
/// is filled with one constant is filled with that.
mlir::Value castInit(mlir::OpBuilder &builder, mlir::Location loc,
                     mlir::Value init, mlir::Type element);

} // namespace npu

#endif // NPU_LIB_PREPROCESS_PRECISION_CASTTENSOR_H
