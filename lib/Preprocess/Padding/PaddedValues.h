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

  /// The length of each prompt, where these are run-time values.
  void setLengths(mlir::ValueRange values) {
    lengths.assign(values.begin(), values.end());
  }

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
  /// Puts `made` in the place of a value without padding, also where an earlier
  /// answer of the analysis refers to it.
  void replace(mlir::Value original, mlir::Value made);

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
  /// The real entries of `source`, whose padding stands as `found` says, in a
  /// tensor whose padding stands as `wanted` says, entry by entry.
  mlir::Value moved(mlir::Value source, const PaddingState &found,
                    mlir::RankedTensorType type, const PaddingState &wanted,
                    mlir::Location loc);

  mlir::func::FuncOp function;
  const PaddingAnalysis &analysis;
  mlir::OpBuilder &builder;
  bool poison;
  llvm::SmallVector<mlir::Value> lengths;
  llvm::DenseMap<mlir::Value, mlir::Value> paddedValues, realValues, replaced;
  llvm::DenseMap<mlir::AffineExpr, mlir::Value> numbers;
};

} // namespace npu

#endif // NPU_LIB_PREPROCESS_PADDING_PADDEDVALUES_H
