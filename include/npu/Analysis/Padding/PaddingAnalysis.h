// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// Where a function's values carry padding once its prompt dimensions are padded
// to a static extent, what is known of it, and what each operation has to do so
// that no real entry changes. Changes nothing.

#ifndef NPU_ANALYSIS_PADDING_PADDINGANALYSIS_H
#define NPU_ANALYSIS_PADDING_PADDINGANALYSIS_H

#include "npu/Dialect/NPU/IR/NPUDialect.h"
#include "npu/Interfaces/PaddingTransfer.h"

#include "mlir/Dialect/Func/IR/FuncOps.h"
#include "mlir/Dialect/Linalg/IR/Linalg.h"

#include "llvm/ADT/SmallBitVector.h"

namespace npu {

/// On function arguments: the prompt dimensions, an integer or an array of
/// them.
inline constexpr llvm::StringLiteral promptDimAttrName =
    NPUDialect::PromptDimAttrHelper::getNameStr();

/// The prompt that marks or dynamic dimensions of arguments say, or a
/// diagnostic; `found` is false, without one, where there are neither.
mlir::FailureOr<Prompt> findPrompt(mlir::func::FuncOp function,
                                   int64_t maxLength, PaddingSide side,
                                   bool &found);

/// What becomes of a structured operation.
struct StructuredPadding {
  /// Per loop.
  PaddingState loops;
  /// Reductions that have to skip padded positions, and those of which it is
  /// proved that padding is neutral.
  llvm::SmallBitVector masked, proved;
};

/// The rule that is broken, with the name of the operand that it is about.
std::string toString(const Refusal &refusal);

/// An operation that is understood once it reads operands entry by entry, at
/// positions that it computes: a tensor.extract in the body of a
/// linalg.generic.
struct EntryByEntry {
  mlir::Operation *op;
  /// Of the result, as expressions of the prompt length.
  llvm::SmallVector<mlir::AffineExpr> extents;
  /// Of a structured operation: those that it reads along padding at other
  /// positions than its loops'.
  llvm::SmallVector<unsigned> operands;
};

class PaddingAnalysis final : PaddingTransfer {
public:
  PaddingAnalysis(mlir::func::FuncOp function, const Prompt &prompt);

  /// Fails with a diagnostic where real results would depend on padding in a
  /// way that nothing is known against.
  mlir::LogicalResult run();

  /// Empty where nothing is padded.
  const PaddingState &of(mlir::Value value) const override;
  /// Of every linalg operation with a padded loop.
  const StructuredPadding *of(mlir::linalg::LinalgOp op) const;
  /// To be replaced by its parts before anything is padded: a softmax along
  /// padding.
  llvm::ArrayRef<mlir::Operation *> toDecompose() const { return aggregates; }
  /// The operation uses padded tensors to read entries of them, and does so at
  /// the positions that it says (but for those with a body that runs on
  /// padding).
  bool readsAsWritten(mlir::Operation *op) const;
  /// To be rewritten to read entry by entry before anything is padded.
  llvm::ArrayRef<EntryByEntry> entryByEntry() const { return byEntry; }
  /// The operation works on the real part alone.
  bool isUnpadded(mlir::Operation *op) const { return unpadded.contains(op); }

  /// What `op`, a concat or the last of several insert_slices, puts together;
  /// null where it is neither.
  const Concatenation *concatenationBy(mlir::Operation *op) const;
  /// Nothing is made of it: what uses it wants its extents, or reads through
  /// it.
  bool isSeenThrough(mlir::Operation *op) const override {
    return seenThrough.contains(op);
  }

  /// An index as an expression of the prompt length; null where it is none.
  mlir::AffineExpr exprOf(mlir::OpFoldResult value) const override;
  /// How many entries of a dimension are real; null where that is not known.
  mlir::AffineExpr realExtent(mlir::Value tensor, int64_t dim) const override;

  const Prompt &getPrompt() const override { return prompt; }

private:
  mlir::RankedTensorType paddedType(mlir::Value value) const override;
  MaybeRefused stateOf(llvm::ArrayRef<mlir::AffineExpr> extents,
                       PaddingState &state) const override;
  MaybeRefused refusePartly(mlir::Value tensor,
                            const PaddingState &padding) const override;
  void setResult(mlir::Value value, PaddingState state) override;
  MaybeRefused concatenate(mlir::Operation *op,
                           const Concatenation &parts) override;
  void decomposeFirst(mlir::Operation *op) override;
  void seeThrough(mlir::Operation *op) override;

  mlir::LogicalResult visit(mlir::Operation *op);
  void visitIndex(mlir::Operation *op);
  mlir::LogicalResult visitStructured(mlir::linalg::LinalgOp op);
  mlir::LogicalResult ask(mlir::Operation *op, mlir::Value padded);
  bool isAskedAnyway(mlir::Operation *op) const;
  mlir::LogicalResult refuse(mlir::Operation *op, const Refusal &why);
  mlir::LogicalResult readByEntry(mlir::Operation *op, Refusal why);
  mlir::LogicalResult readByEntry(mlir::linalg::LinalgOp op,
                                  llvm::ArrayRef<unsigned> operands,
                                  const Refusal &why);
  Refusal refuseRead(mlir::Value operand, unsigned dim,
                     mlir::AffineExpr expr) const;
  MaybeRefused refuseBody(mlir::Operation *op);
  mlir::LogicalResult checkResults(mlir::Operation *op);
  mlir::LogicalResult workOnRealPart(mlir::Operation *op, const Refusal &why);
  void decideMasks(mlir::linalg::LinalgOp op, StructuredPadding &padding);
  mlir::AffineExpr lengthExpr() const;
  mlir::AffineExpr constant(int64_t value) const;

  mlir::func::FuncOp function;
  mlir::MLIRContext *context;
  Prompt prompt;
  /// The prompt's extent in types; nothing where it is dynamic there.
  std::optional<int64_t> lengthOfTypes;
  llvm::DenseMap<mlir::Value, PaddingState> states;
  llvm::DenseMap<mlir::Value, mlir::AffineExpr> indices;
  llvm::DenseMap<mlir::Operation *, StructuredPadding> structured;
  llvm::SmallVector<mlir::Operation *> aggregates;
  llvm::SmallVector<EntryByEntry> byEntry;
  llvm::DenseSet<mlir::Operation *> unpadded, seenThrough;
  /// Results of the operation that is asked, as far as it has answered.
  llvm::DenseSet<mlir::Value> answered;
  llvm::DenseMap<mlir::Operation *, Concatenation> concatenations;
};

} // namespace npu

#endif // NPU_ANALYSIS_PADDING_PADDINGANALYSIS_H
