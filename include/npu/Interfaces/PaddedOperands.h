// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// What a model uses while it rewrites an operation to padded operands.

#ifndef NPU_INTERFACES_PADDEDOPERANDS_H
#define NPU_INTERFACES_PADDEDOPERANDS_H

#include "npu/Interfaces/PaddingState.h"

#include "mlir/IR/Builders.h"
#include "mlir/IR/BuiltinTypes.h"

namespace npu {

class PaddedOperands {
public:
  /// A builder at the place of the new operations.
  virtual mlir::OpBuilder &getBuilder() = 0;

  /// The padding of a value of the original function; empty where nothing is
  /// padded.
  virtual const PaddingState &of(mlir::Value original) const = 0;
  /// An index as an expression of the prompt length; null where it is no such
  /// expression.
  virtual mlir::AffineExpr exprOf(mlir::OpFoldResult original) const = 0;
  /// The type of a value with its padded extents.
  virtual mlir::RankedTensorType paddedType(mlir::Value original) const = 0;

  /// `original` with the padding `wanted`, made in the cheapest way: the value
  /// itself, the value rematerialized, or its real part put into a larger
  /// tensor.
  virtual mlir::Value padded(mlir::Value original, const PaddingState &wanted,
                             mlir::Location loc) = 0;
  /// `original` with the padding that the analysis found for it.
  mlir::Value padded(mlir::Value original, mlir::Location loc) {
    return padded(original, of(original), loc);
  }
  /// The value without padding.
  virtual mlir::Value real(mlir::Value original, mlir::Location loc) = 0;

  /// The value of an expression of the prompt length, as an SSA value, and as a
  /// constant where it folds to one.
  virtual mlir::Value valueOf(mlir::AffineExpr expr) = 0;
  virtual mlir::OpFoldResult sizeOf(mlir::AffineExpr expr) = 0;

  /// `have` under the type `want`, which has the same shape: an
  /// npu.redistribute where data have to move, else null. Splits of padded
  /// tensors may differ where splits of the original ones did not.
  virtual mlir::Value redistributed(mlir::Value have,
                                    mlir::RankedTensorType want,
                                    mlir::Location loc) = 0;

protected:
  ~PaddedOperands() = default;
};

/// Builds the position at which the entry `at` of a dimension, counted among
/// real entries, stands with its padding.
mlir::Value positionWithPadding(mlir::OpBuilder &builder, mlir::Location loc,
                                mlir::Value at, const PaddedDim &dim,
                                PaddedOperands &operands);

/// Clones `op` on padded operands: each with its own padding, or all with the
/// padding `wanted`. Gives one value for each result, of its padded type.
/// Values that the regions of `op` use from outside keep having no padding, so
/// that operations with such uses must not be cloned by this function.
llvm::SmallVector<mlir::Value>
cloneOnPadded(mlir::Operation *op, PaddedOperands &operands,
              const PaddingState *wanted = nullptr);

} // namespace npu

#endif // NPU_INTERFACES_PADDEDOPERANDS_H
