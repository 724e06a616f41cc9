// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// npu-copies-to-runs: rewrites strided copies to copies of contiguous runs.

#include "BufferPointers.h"
#include "npu/Conversion/ToLLVM/Passes.h"
#include "npu/Dialect/NPU/IR/TensorPlacement.h"

#include "mlir/Dialect/Arith/IR/Arith.h"
#include "mlir/Dialect/LLVMIR/LLVMDialect.h"
#include "mlir/Dialect/Linalg/IR/Linalg.h"
#include "mlir/Dialect/Linalg/Utils/Utils.h"
#include "mlir/Dialect/MemRef/IR/MemRef.h"
#include "mlir/Dialect/SCF/IR/SCF.h"

using namespace mlir;

namespace npu {

#define GEN_PASS_DEF_COPIESTORUNS
#include "npu/Conversion/ToLLVM/Passes.h.inc"

namespace {

/// The number of trailing dimensions that are contiguous in memory; nothing
/// when strides are not known. Precondition: extents are static. Upstream
/// lowers a copy to a memcpy by the same count
/// (isStaticShapeAndContiguousRowMajor). getNumContiguousTrailingDims also
/// counts dimensions of extent 1 with other strides, for which that lowering
/// calls the runtime.
std::optional<int64_t> contiguousDims(MemRefType type) {
  SmallVector<int64_t> strides;
  int64_t offset = 0;
  if (failed(type.getStridesAndOffset(strides, offset)))
    return std::nullopt;
  int64_t expected = 1, count = 0;
  for (int64_t dim = type.getRank() - 1; dim >= 0 && strides[dim] == expected;
       --dim, ++count)
    expected *= type.getDimSize(dim);
  return count;
}

/// The part of `buffer` at `offsets`, of extent 1 except in the trailing
/// dimensions that `sizes` names.
Value runOf(OpBuilder &builder, Location loc, Value buffer,
            ArrayRef<OpFoldResult> offsets, ArrayRef<OpFoldResult> sizes) {
  SmallVector<OpFoldResult> ones(offsets.size(), builder.getIndexAttr(1));
  return memref::SubViewOp::create(builder, loc, buffer, offsets, sizes, ones);
}

/// Copies one run, whose extent is known.
void copyRun(memref::CopyOp copy, BufferPointers &pointers) {
  auto type = cast<MemRefType>(copy.getSource().getType());
  std::optional<int64_t> size = bitsOfElement(type.getElementType());
  if (!size)
    return; // Upstream lowers it.
  OpBuilder builder(copy);
  Location loc = copy.getLoc();
  int64_t bits = type.getNumElements() * *size;
  bool isBytes = bits % 8 == 0 &&
                 BufferPointers::beginsByte(copy.getSource()) &&
                 BufferPointers::beginsByte(copy.getTarget());
  if (!isBytes) {
    linalg::makeMemRefCopyOp(builder, loc, copy.getSource(), copy.getTarget());
    return copy.erase();
  }
  Value from = pointers.pointerTo(builder, loc, copy.getSource());
  Value to = pointers.pointerTo(builder, loc, copy.getTarget());
  Type index = builder.getI64Type();
  Value bytes = LLVM::ConstantOp::create(
      builder, loc, index, builder.getIntegerAttr(index, bits / 8));
  LLVM::MemcpyOp::create(builder, loc, to, from, bytes, /*isVolatile=*/false);
  copy.erase();
}

void lowerCopy(memref::CopyOp copy, BufferPointers &pointers) {
  auto source = dyn_cast<MemRefType>(copy.getSource().getType());
  auto target = dyn_cast<MemRefType>(copy.getTarget().getType());
  if (!source || !target)
    return;
  OpBuilder builder(copy);
  Location loc = copy.getLoc();
  std::optional<int64_t> sourceDims, targetDims;
  if (source.hasStaticShape() && target.hasStaticShape()) {
    sourceDims = contiguousDims(source);
    targetDims = contiguousDims(target);
  }
  if (!sourceDims || !targetDims) {
    linalg::makeMemRefCopyOp(builder, loc, copy.getSource(), copy.getTarget());
    return copy.erase();
  }
  ArrayRef<int64_t> shape = source.getShape();
  if (llvm::is_contained(shape, 0))
    return copy.erase();
  int64_t outer = source.getRank() - std::min(*sourceDims, *targetDims);
  if (llvm::all_of(shape.take_front(outer), [](int64_t n) { return n == 1; }))
    return copyRun(copy, pointers);
  if (llvm::all_of(shape.drop_front(outer), [](int64_t n) { return n == 1; })) {
    linalg::makeMemRefCopyOp(builder, loc, copy.getSource(), copy.getTarget());
    return copy.erase();
  }

  SmallVector<OpFoldResult> offsets(shape.size(), builder.getIndexAttr(0));
  SmallVector<OpFoldResult> sizes(shape.size(), builder.getIndexAttr(1));
  Value zero = arith::ConstantIndexOp::create(builder, loc, 0);
  Value one = arith::ConstantIndexOp::create(builder, loc, 1);
  for (int64_t dim = outer; dim < source.getRank(); ++dim)
    sizes[dim] = builder.getIndexAttr(shape[dim]);
  for (int64_t dim = 0; dim < outer; ++dim) {
    if (shape[dim] == 1)
      continue;
    Value extent = arith::ConstantIndexOp::create(builder, loc, shape[dim]);
    auto loop = scf::ForOp::create(builder, loc, zero, extent, one);
    offsets[dim] = loop.getInductionVar();
    builder.setInsertionPointToStart(loop.getBody());
  }
  auto run = memref::CopyOp::create(
      builder, loc, runOf(builder, loc, copy.getSource(), offsets, sizes),
      runOf(builder, loc, copy.getTarget(), offsets, sizes));
  copy.erase();
  // Upstream takes each element for a byte at least.
  if (isPacked(source.getElementType()))
    copyRun(run, pointers);
}

struct CopiesToRunsPass : impl::CopiesToRunsBase<CopiesToRunsPass> {
  using CopiesToRunsBase::CopiesToRunsBase;

  void runOnOperation() override {
    SmallVector<memref::CopyOp> copies;
    getOperation()->walk([&](memref::CopyOp copy) { copies.push_back(copy); });
    BufferPointers pointers(&getContext());
    for (memref::CopyOp copy : copies)
      lowerCopy(copy, pointers);
    eraseUnusedViews(getOperation());
  }
};

} // namespace
} // namespace npu
