// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception

#include "npu/TileProgram/ShiftIndices.h"

#include "mlir/Dialect/Arith/IR/Arith.h"
#include "mlir/Dialect/Linalg/IR/Linalg.h"

using namespace mlir;

namespace npu {

void shiftIndices(Operation *op, const IterationDomain &iteration,
                  OpBuilder &builder) {
  SmallVector<linalg::IndexOp> indices;
  op->walk([&](linalg::IndexOp index) { indices.push_back(index); });
  for (linalg::IndexOp index : indices) {
    int64_t begin = iteration.loops[index.getDim()].begin;
    if (begin == 0)
      continue;
    OpBuilder::InsertionGuard guard(builder);
    builder.setInsertionPointAfter(index);
    Value shift =
        arith::ConstantIndexOp::create(builder, index.getLoc(), begin);
    auto sum = arith::AddIOp::create(builder, index.getLoc(), index, shift);
    index.getResult().replaceAllUsesExcept(sum, sum);
  }
}

} // namespace npu
