// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// Which values of a function carry padding once its prompt dimensions are
// padded to a static extent, what is known of the padding's content, and what
// each operation has to do so that no real entry changes. The analysis changes
// no IR.

#ifndef NPU_ANALYSIS_PADDING_PADDINGANALYSIS_H
#define NPU_ANALYSIS_PADDING_PADDINGANALYSIS_H

#include "npu/Dialect/NPU/IR/NPUDialect.h"
#include "npu/Interfaces/PaddingTransfer.h"

#include "mlir/Dialect/Func/IR/FuncOps.h"
#include "mlir/Dialect/Linalg/IR/Linalg.h"

#include "llvm/ADT/SmallBitVector.h"

namespace npu {

/// An attribute of function arguments: the prompt dimensions, an integer or an
/// array of integers.
inline constexpr llvm::StringLiteral promptDimAttrName =
    NPUDialect::PromptDimAttrHelper::getNameStr();

/// The names of the prompts of a function by their numbers: the first is that
/// of dynamic dimensions without a name, too. One, which may be empty, where
/// dimensions are marked as those of one prompt.
llvm::SmallVector<std::string> namesOfPrompts(mlir::func::FuncOp function);

/// The prompt that attributes or dynamic dimensions of arguments declare, or a
/// diagnostic. `found` is false, and there is no diagnostic, where there are
/// neither attributes nor dynamic dimensions. Dynamic dimensions of one name
/// have one length, and those of two names are two prompts; those of none are
/// as long as the first prompt.
mlir::FailureOr<Prompt> findPrompt(mlir::func::FuncOp function,
                                   int64_t maxLength, PaddingSide side,
                                   bool &found);

/// How a structured operation is padded.
struct StructuredPadding {
  /// The padding of each loop.
  PaddingState loops;
  /// Reduction loops that have to skip padded positions, and reduction loops
  /// whose padding is proved to be neutral.
  llvm::SmallBitVector masked, proved;
};

/// The rule that is broken, with the name of the operand that the rule is
/// about.
std::string toString(const Refusal &refusal);

/// An operation that can be padded once it reads operands entry by entry, at
/// positions that it computes: by a tensor.extract in the body of a
/// linalg.generic.
struct EntryByEntry {
  mlir::Operation *op;
  /// The real extents of the result, as expressions of the prompt length.
  llvm::SmallVector<mlir::AffineExpr> extents;
  /// Of a structured operation: the operands whose padded dimensions it reads
  /// at positions other than those of its loops.
  llvm::SmallVector<unsigned> operands;
};

class PaddingAnalysis final : PaddingTransfer {
public:
  PaddingAnalysis(mlir::func::FuncOp function, const Prompt &prompt);

  /// Analyses the function. Fails with a diagnostic where real results would
  /// depend on padding and nothing is known that prevents it.
  mlir::LogicalResult run();

  /// The padding of a value; empty where nothing is padded.
  const PaddingState &of(mlir::Value value) const override;
  /// How `op` is padded; null where no loop of it is padded.
  const StructuredPadding *of(mlir::linalg::LinalgOp op) const;
  /// Operations that have to be replaced by their parts before anything is
  /// padded, such as a softmax along padding.
  llvm::ArrayRef<mlir::Operation *> toDecompose() const { return aggregates; }
  /// Whether the operation reads single entries of the padded tensors that it
  /// uses, at the positions that it is given in the IR. Operations whose body
  /// runs on padding do not.
  bool readsAsWritten(mlir::Operation *op) const;
  /// Operations that have to be rewritten to read entry by entry before
  /// anything is padded.
  llvm::ArrayRef<EntryByEntry> entryByEntry() const { return byEntry; }
  /// Whether the operation works on the real part alone.
  bool isUnpadded(mlir::Operation *op) const { return unpadded.contains(op); }

  /// The concatenation that `op`, a concat or the last of several
  /// insert_slices, makes; null where it makes none.
  const Concatenation *concatenationBy(mlir::Operation *op) const;
  /// Whether no padded operation is made of `op`, because its users want its
  /// extents or read through it.
  bool isSeenThrough(mlir::Operation *op) const override {
    return seenThrough.contains(op);
  }

  /// An index as an expression of the prompt length; null where it is no such
  /// expression.
  mlir::AffineExpr exprOf(mlir::OpFoldResult value) const override;
  /// The number of real entries of a dimension; null where it is not known.
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
  bool canBePacked(mlir::Operation *op, const Concatenation &parts) const;
  void decomposeFirst(mlir::Operation *op) override;
  void seeThrough(mlir::Operation *op) override;

  mlir::LogicalResult visit(mlir::Operation *op);
  void visitIndex(mlir::Operation *op);
  mlir::LogicalResult visitStructured(mlir::linalg::LinalgOp op);
  void setStructuredResults(mlir::linalg::LinalgOp op,
                            const PaddingState &loops);
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
  mlir::AffineExpr lengthExpr(unsigned number) const;
  void notePrompts(mlir::InFlightDiagnostic &error) const;
  mlir::AffineExpr constant(int64_t value) const;

  mlir::func::FuncOp function;
  mlir::MLIRContext *context;
  Prompt prompt;
  /// Whether an argument is a cache that a result continues.
  bool continuesCaches = false;
  /// The prompt's extent in types; nothing where it is dynamic there.
  std::optional<int64_t> lengthOfTypes;
  llvm::DenseMap<mlir::Value, PaddingState> states;
  llvm::DenseMap<mlir::Value, mlir::AffineExpr> indices;
  llvm::DenseMap<mlir::Operation *, StructuredPadding> structured;
  llvm::SmallVector<mlir::Operation *> aggregates;
  llvm::SmallVector<EntryByEntry> byEntry;
  llvm::DenseSet<mlir::Operation *> unpadded, seenThrough;
  /// The results for which the operation that is being asked has answered.
  llvm::DenseSet<mlir::Value> answered;
  llvm::DenseMap<mlir::Operation *, Concatenation> concatenations;
};

} // namespace npu

#endif // NPU_ANALYSIS_PADDING_PADDINGANALYSIS_H
