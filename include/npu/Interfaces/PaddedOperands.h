// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// What an operation asks for while it is written again on padded operands.

#ifndef NPU_INTERFACES_PADDEDOPERANDS_H
#define NPU_INTERFACES_PADDEDOPERANDS_H

#include "npu/Interfaces/PaddingState.h"

#include "mlir/IR/Builders.h"
#include "mlir/IR/BuiltinTypes.h"

namespace npu {

class PaddedOperands {
public:
  /// Stands where the new operations belong.
  virtual mlir::OpBuilder &getBuilder() = 0;

  /// The padding of an operand or result of the function as it is written;
  /// empty where nothing is padded.
  virtual const PaddingState &of(mlir::Value original) const = 0;
  /// An index as an expression of the prompt length; null where it is none.
  virtual mlir::AffineExpr exprOf(mlir::OpFoldResult original) const = 0;
  /// The type of a value with its padded extents.
  virtual mlir::RankedTensorType paddedType(mlir::Value original) const = 0;

  /// `original` with its padding as `wanted` has it, by the cheapest way: as it
  /// is, made again, or its real part put into a larger tensor.
  virtual mlir::Value padded(mlir::Value original, const PaddingState &wanted,
                             mlir::Location loc) = 0;
  /// The same with the padding that was found for it.
  mlir::Value padded(mlir::Value original, mlir::Location loc) {
    return padded(original, of(original), loc);
  }
  /// The value as it was without padding.
  virtual mlir::Value real(mlir::Value original, mlir::Location loc) = 0;

  /// A number of the prompt length, as a value and as what it folds to.
  virtual mlir::Value valueOf(mlir::AffineExpr expr) = 0;
  virtual mlir::OpFoldResult sizeOf(mlir::AffineExpr expr) = 0;

  /// `have` as a value of type `want`, of the same shape, where splits of the
  /// longer tensors may differ although those of the others did not: an
  /// npu.redistribute where data have to move, else null.
  virtual mlir::Value redistributed(mlir::Value have,
                                    mlir::RankedTensorType want,
                                    mlir::Location loc) = 0;

protected:
  ~PaddedOperands() = default;
};

/// `op` itself on padded operands: on each as it is padded, or all as `wanted`
/// has it. One value for each result, of its padded type. What its regions use
/// from outside stays as it is, without padding: not for operations that do.
llvm::SmallVector<mlir::Value>
cloneOnPadded(mlir::Operation *op, PaddedOperands &operands,
              const PaddingState *wanted = nullptr);

} // namespace npu

#endif // NPU_INTERFACES_PADDEDOPERANDS_H
