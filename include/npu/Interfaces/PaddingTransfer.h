// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// What an operation can ask about padding while it says what becomes of it, and
// what it can answer. All extents and positions are in entries of a dimension;
// those that depend on the prompt length are expressions of it (symbol s0), or
// constants where the length is known.

#ifndef NPU_INTERFACES_PADDINGTRANSFER_H
#define NPU_INTERFACES_PADDINGTRANSFER_H

#include "npu/Interfaces/PaddingState.h"
#include "npu/Interfaces/Prompt.h"
#include "npu/Interfaces/Refusal.h"

#include "mlir/IR/Operation.h"

namespace npu {

/// `parts` one behind the other along a dimension.
struct Concatenation {
  llvm::SmallVector<mlir::Value> parts;
  int64_t along;
};

class PaddingTransfer {
public:
  /// The padding of a value, per dimension; empty where nothing is padded.
  virtual const PaddingState &of(mlir::Value value) const = 0;
  /// An index as an expression of the prompt length; null where it is none.
  virtual mlir::AffineExpr exprOf(mlir::OpFoldResult value) const = 0;
  /// How many entries of a dimension are real; null where that is not known.
  virtual mlir::AffineExpr realExtent(mlir::Value tensor,
                                      int64_t dim) const = 0;
  virtual const Prompt &getPrompt() const = 0;
  /// The type of a value with its padded extents.
  virtual mlir::RankedTensorType paddedType(mlir::Value value) const = 0;

  /// The padding of a tensor of these extents, none of which is null, that
  /// stands where the prompt's does; or why there is none.
  virtual MaybeRefused stateOf(llvm::ArrayRef<mlir::AffineExpr> extents,
                               PaddingState &state) const = 0;
  /// Why a tensor cannot have this padding: that another dimension of it is as
  /// long as nobody knows.
  virtual MaybeRefused refusePartly(mlir::Value tensor,
                                    const PaddingState &padding) const = 0;

  /// The answer, for each result; an empty state for one without padding. What
  /// leaves out a result is not understood.
  virtual void setResult(mlir::Value result, PaddingState state) = 0;
  /// The answer of an operation of one result that puts parts one behind the
  /// other. It is rewritten as such, and not asked to rewrite itself.
  virtual MaybeRefused concatenate(mlir::Operation *op,
                                   const Concatenation &parts) = 0;
  /// The operation, which has upstream's AggregatedOpInterface, is replaced by
  /// its parts before anything is padded.
  virtual void decomposeFirst(mlir::Operation *op) = 0;
  /// The answer where nothing needs to be made of it: what uses it wants its
  /// extents, or asks what it is made from. Its users are asked even where no
  /// operand of theirs is padded.
  virtual void seeThrough(mlir::Operation *op) = 0;
  virtual bool isSeenThrough(mlir::Operation *op) const = 0;

  /// Of all dimensions.
  llvm::SmallVector<mlir::AffineExpr> realExtents(mlir::Value tensor) const;
  llvm::SmallVector<mlir::AffineExpr>
  exprsOf(llvm::ArrayRef<mlir::OpFoldResult> values) const;
  /// An operand is an index that grows or shrinks with the prompt.
  bool followsPrompt(mlir::Operation *op) const;

protected:
  ~PaddingTransfer() = default;
};

/// What every operation does of which nobody knows what it does.
Refusal unknownPaddingTransfer();

/// Lets a loop of `op` run over a padded dimension of an operand. Refuses where
/// another operand has given it a different number of real entries.
MaybeRefused joinLoop(mlir::Operation *op, unsigned loop, const PaddedDim &dim,
                      unsigned operand, PaddingState &loops);

/// True of the constant `value`, false of null and of everything else.
bool isNumber(mlir::AffineExpr expr, int64_t value);

} // namespace npu

#endif // NPU_INTERFACES_PADDINGTRANSFER_H
