// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// Maps the values of a function to their padded forms, and back to their real
// parts.

#ifndef NPU_LIB_PREPROCESS_PADDING_PADDEDVALUES_H
#define NPU_LIB_PREPROCESS_PADDING_PADDEDVALUES_H

#include "npu/Analysis/Padding/PaddingAnalysis.h"
#include "npu/Interfaces/EntryReadOpInterface.h"
#include "npu/Interfaces/PaddedOperands.h"

namespace npu {

class PaddedValues final : public PaddedOperands {
public:
  /// New operations are inserted by `builder`, and numbers that follow the
  /// prompt length at the front of the function.
  PaddedValues(mlir::func::FuncOp function, const PaddingAnalysis &analysis,
               mlir::OpBuilder &builder, bool poison)
      : function(function), analysis(analysis), builder(builder),
        poison(poison) {}

  /// The prompt length, where it is a run-time value.
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

  /// Whether `made` has one value for each of `results`, of its padded shape.
  bool havePaddedShapes(llvm::ArrayRef<mlir::Value> made,
                        mlir::ValueRange results) const;

  /// Records that `padded` is `original` with the padding that the analysis
  /// found for it.
  void set(mlir::Value original, mlir::Value padded);
  bool has(mlir::Value original) const {
    return paddedValues.contains(original);
  }

  using PaddedOperands::padded;
  mlir::Value padded(mlir::Value original, const PaddingState &wanted,
                     mlir::Location loc) override;
  /// Puts a value without padding into a tensor with the padding that the
  /// analysis found for it.
  mlir::Value enlargeReal(mlir::Value value, mlir::Location loc);
  mlir::Value real(mlir::Value original, mlir::Location loc) override;
  mlir::Value redistributed(mlir::Value have, mlir::RankedTensorType want,
                            mlir::Location loc) override;

  /// Rewrites the positions of `read` to where the same entry is in `padded`,
  /// its tensor with padding: positions count real entries.
  void readPadded(EntryReadOpInterface read, mlir::Value padded);

  mlir::Value valueOf(mlir::AffineExpr expr) override;
  mlir::OpFoldResult sizeOf(mlir::AffineExpr expr) override;

  /// A tensor to put real entries into: its entries are poison where that is
  /// asked for, else undefined.
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

#endif // NPU_LIB_PREPROCESS_PADDING_PADDEDVALUES_H
