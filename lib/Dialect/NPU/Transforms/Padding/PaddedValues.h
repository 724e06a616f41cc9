// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// The values of a function with their padding, and their real parts again.

#ifndef NPU_LIB_DIALECT_NPU_TRANSFORMS_PADDING_PADDEDVALUES_H
#define NPU_LIB_DIALECT_NPU_TRANSFORMS_PADDING_PADDEDVALUES_H

#include "npu/Analysis/Padding/PaddingAnalysis.h"
#include "npu/Interfaces/EntryReadOpInterface.h"
#include "npu/Interfaces/PaddedOperands.h"

namespace npu {

class PaddedValues final : public PaddedOperands {
public:
  /// New operations stand where `builder` stands; numbers that follow the
  /// prompt length at the front of the function.
  PaddedValues(mlir::func::FuncOp function, const PaddingAnalysis &analysis,
               mlir::OpBuilder &builder, bool poison)
      : function(function), analysis(analysis), builder(builder),
        poison(poison) {}

  /// Where the prompt length comes from, when it is a run-time value.
  void setLength(mlir::Value value) { length = value; }
  mlir::Value getLength() const { return length; }

  mlir::OpBuilder &getBuilder() override { return builder; }
  const PaddingState &of(mlir::Value original) const override {
    return analysis.of(original);
  }
  mlir::AffineExpr exprOf(mlir::OpFoldResult original) const override {
    return analysis.exprOf(original);
  }
  mlir::RankedTensorType paddedType(mlir::Value original) const override;

  /// There is one of `made` for each of `results`, of its shape with padding.
  bool havePaddedShapes(llvm::ArrayRef<mlir::Value> made,
                        mlir::ValueRange results) const;

  /// Says that `padded` is `original` with the padding that the analysis has
  /// found for it.
  void set(mlir::Value original, mlir::Value padded);
  bool has(mlir::Value original) const {
    return paddedValues.contains(original);
  }

  using PaddedOperands::padded;
  mlir::Value padded(mlir::Value original, const PaddingState &wanted,
                     mlir::Location loc) override;
  /// A value that has no padding, in a tensor with the padding that the
  /// analysis has found for it.
  mlir::Value enlargeReal(mlir::Value value, mlir::Location loc);
  mlir::Value real(mlir::Value original, mlir::Location loc) override;
  mlir::Value redistributed(mlir::Value have, mlir::RankedTensorType want,
                            mlir::Location loc) override;

  /// Lets `read` find the same entry in `padded`, its tensor with padding:
  /// indices count real entries, and those stand elsewhere there.
  void readPadded(EntryReadOpInterface read, mlir::Value padded);

  mlir::Value valueOf(mlir::AffineExpr expr) override;
  mlir::OpFoldResult sizeOf(mlir::AffineExpr expr) override;

  /// A tensor of padding: poison where that is asked for, else anything.
  mlir::Value emptyPadding(mlir::RankedTensorType type,
                           const PaddingState &state, mlir::Location loc);

private:
  llvm::SmallVector<mlir::OpFoldResult>
  sizesOf(llvm::ArrayRef<mlir::AffineExpr> exprs);
  mlir::Value enlarge(mlir::Value real, mlir::RankedTensorType type,
                      const PaddingState &state, mlir::Location loc);
  mlir::Value made(mlir::Value original, mlir::RankedTensorType type,
                   mlir::Location loc);

  mlir::func::FuncOp function;
  const PaddingAnalysis &analysis;
  mlir::OpBuilder &builder;
  bool poison;
  mlir::Value length;
  llvm::DenseMap<mlir::Value, mlir::Value> paddedValues, realValues;
  llvm::DenseMap<mlir::AffineExpr, mlir::Value> numbers;
};

} // namespace npu

#endif // NPU_LIB_DIALECT_NPU_TRANSFORMS_PADDING_PADDEDVALUES_H
