// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// The builder with which a model gives an operation's access.
//
// Example, a tensor read backwards in its dimension 0:
//
//   std::optional<OpAccessBuilder> builder = OpAccessBuilder::of(op);
//   if (!builder)
//     return std::nullopt;
//   builder->loopOverResult();
//   AffineExpr backwards = extent - 1 - builder->loop(0);
//   builder->setOperand(0, {backwards, builder->loop(1)});
//   return builder->finish();

#ifndef NPU_INTERFACES_OPACCESSBUILDER_H
#define NPU_INTERFACES_OPACCESSBUILDER_H

#include "npu/Interfaces/OpAccess.h"

namespace npu {

class OpAccessBuilder {
public:
  /// A builder without loops, in which every operand is unread. Nothing for
  /// operations that cannot have an access: those without results, with results
  /// that are no tensors, or with tensors of dynamic shape or of rank above
  /// kMaxRank.
  static std::optional<OpAccessBuilder> of(mlir::Operation *op);

  /// The extents of a tensor operand, or of a result.
  const Extents &operandExtents(unsigned number) const {
    return access.operandMaps[number].extents;
  }
  const Extents &resultExtents(unsigned number) const {
    return access.resultMaps[number].extents;
  }

  /// Adds one parallel loop for each dimension of result 0, and maps the result
  /// to these loops one to one.
  void loopOverResult();
  /// Adds a loop and gives its number. Positions in results must not depend on
  /// a loop that reduces.
  unsigned addLoop(int64_t extent, bool reduces = false);
  mlir::AffineExpr loop(unsigned number) const;

  /// Says that operand `number` is read at these positions.
  void setOperand(unsigned number, llvm::ArrayRef<mlir::AffineExpr> positions);
  /// Says that operand `number` is addressed at these positions and that its
  /// shape counts, but not its entries: an output that is overwritten, a
  /// pooling window.
  void setUnread(unsigned number, llvm::ArrayRef<mlir::AffineExpr> positions);
  void setResult(unsigned number, llvm::ArrayRef<mlir::AffineExpr> positions);
  /// The same with positions as a map of all loops.
  void setOperand(unsigned number, mlir::AffineMap map);
  void setUnread(unsigned number, mlir::AffineMap map);
  void setResult(unsigned number, mlir::AffineMap map);

  OpAccess finish();

private:
  explicit OpAccessBuilder(mlir::Operation *op);
  mlir::AffineMap mapOf(llvm::ArrayRef<mlir::AffineExpr> exprs) const;

  mlir::MLIRContext *context;
  OpAccess access;
};

} // namespace npu

#endif // NPU_INTERFACES_OPACCESSBUILDER_H
