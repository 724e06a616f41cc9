// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception

#ifndef NPU_EXTERNALMODELS_TENSOR_CONSTANTPAD_H
#define NPU_EXTERNALMODELS_TENSOR_CONSTANTPAD_H

#include "mlir/IR/Builders.h"
#include "mlir/IR/BuiltinTypes.h"

#include <optional>

namespace npu {

/// What a tensor.pad of static shape adds: one value, before and after the
/// entries of each dimension.
struct ConstantPad {
  /// The tensor that is padded.
  mlir::OpOperand *source = nullptr;
  mlir::Value added;
  llvm::ArrayRef<int64_t> low, high;

  mlir::RankedTensorType sourceType() const;
};

bool isPad(mlir::Operation *op);

/// Nothing where the operation, or null, is no such pad, or cuts entries off.
std::optional<ConstantPad> asConstantPad(mlir::Operation *op);

/// A pad of another tensor with the value of `pad`.
mlir::Operation *padLike(mlir::OpBuilder &builder, mlir::Operation *pad,
                         mlir::Value source, mlir::RankedTensorType type,
                         llvm::ArrayRef<int64_t> low,
                         llvm::ArrayRef<int64_t> high);

} // namespace npu

#endif // NPU_EXTERNALMODELS_TENSOR_CONSTANTPAD_H
