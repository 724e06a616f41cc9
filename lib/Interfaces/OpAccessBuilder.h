// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// Writes down the access of one kind of operation after the other. Private to
// Analysis: users ask OpAccess::get.

#ifndef NPU_LIB_INTERFACES_OPACCESSBUILDER_H
#define NPU_LIB_INTERFACES_OPACCESSBUILDER_H

#include "npu/Interfaces/OpAccess.h"

#include "mlir/Dialect/Linalg/IR/Linalg.h"
#include "mlir/Dialect/Tensor/IR/Tensor.h"

namespace npu {

class OpAccessBuilder {
public:
  explicit OpAccessBuilder(mlir::Operation *op) : op(op) {}

  std::optional<OpAccess> build();

private:
  bool buildStructured(mlir::linalg::LinalgOp op);
  bool buildSoftmax(mlir::linalg::SoftmaxOp op);
  bool buildElementwise();
  bool buildExtractSlice(mlir::tensor::ExtractSliceOp op);
  bool buildInsertSlice(mlir::tensor::InsertSliceOp op);
  bool buildPad(mlir::tensor::PadOp op);
  bool buildConcat(mlir::tensor::ConcatOp op);
  bool buildExpandShape(mlir::tensor::ExpandShapeOp op);
  bool buildCollapseShape(mlir::tensor::CollapseShapeOp op);

  /// The loops are the dimensions of result 0, which they produce one to one.
  void loopOverResult();
  void setOperand(unsigned operand, llvm::ArrayRef<mlir::AffineExpr> exprs);
  mlir::AffineExpr loop(unsigned i) const;
  mlir::AffineMap mapOf(llvm::ArrayRef<mlir::AffineExpr> exprs) const;

  mlir::Operation *op;
  OpAccess access;
};

} // namespace npu

#endif // NPU_LIB_INTERFACES_OPACCESSBUILDER_H
