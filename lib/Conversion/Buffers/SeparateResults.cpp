// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// npu-separate-results: gives each result of a function a buffer of its own.

#include "npu/Conversion/Buffers/Passes.h"

#include "mlir/Dialect/Func/IR/FuncOps.h"
#include "mlir/Dialect/MemRef/IR/MemRef.h"
#include "mlir/Dialect/SCF/IR/SCF.h"

using namespace mlir;

namespace npu {

#define GEN_PASS_DEF_SEPARATERESULTS
#include "npu/Conversion/Buffers/Passes.h.inc"

namespace {

Value withoutCasts(Value buffer) {
  while (auto cast = buffer.getDefiningOp<memref::CastOp>())
    buffer = cast.getSource();
  return buffer;
}

/// Copies each buffer that is an earlier result as well.
void copyRepeated(func::ReturnOp op) {
  OpBuilder builder(op);
  llvm::SmallPtrSet<Value, 4> seen;
  for (OpOperand &operand : op->getOpOperands()) {
    Value buffer = operand.get();
    auto type = dyn_cast<MemRefType>(buffer.getType());
    if (!type || seen.insert(withoutCasts(buffer)).second)
      continue;
    SmallVector<Value> sizes;
    for (int64_t dim = 0; dim < type.getRank(); ++dim)
      if (type.isDynamicDim(dim))
        sizes.push_back(
            memref::DimOp::create(builder, op.getLoc(), buffer, dim));
    auto copy = memref::AllocOp::create(builder, op.getLoc(), type, sizes);
    memref::CopyOp::create(builder, op.getLoc(), buffer, copy);
    operand.set(copy);
  }
}

/// Names what a loop returns after what it began with, where every round hands
/// on the buffer that it was given.
void nameKeptBuffers(scf::ForOp loop) {
  for (auto [result, init, argument, yielded] :
       llvm::zip_equal(loop.getResults(), loop.getInitArgs(),
                       loop.getRegionIterArgs(), loop.getYieldedValues()))
    if (isa<MemRefType>(result.getType()) && yielded == argument)
      result.replaceAllUsesWith(init);
}

struct SeparateResultsPass : impl::SeparateResultsBase<SeparateResultsPass> {
  using SeparateResultsBase::SeparateResultsBase;

  void runOnOperation() override {
    getOperation()->walk(nameKeptBuffers);
    getOperation()->walk(copyRepeated);
  }
};

} // namespace
} // namespace npu
