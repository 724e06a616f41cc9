// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// npu-expand-by-extents: views with several dynamic extents instead of one.

#include "npu/Conversion/ToLLVM/Passes.h"

#include "mlir/Dialect/Arith/IR/Arith.h"
#include "mlir/Dialect/Arith/Utils/Utils.h"
#include "mlir/Dialect/MemRef/IR/MemRef.h"

using namespace mlir;

namespace npu {

#define GEN_PASS_DEF_EXPANDBYEXTENTS
#include "npu/Conversion/ToLLVM/Passes.h.inc"

namespace {

/// Whether one extent becomes several of which more than one is dynamic: what
/// they are then follows from the view's own extents alone.
bool hasSeveralDynamicExtents(memref::ExpandShapeOp expand) {
  MemRefType type = expand.getResultType();
  return llvm::any_of(expand.getReassociationIndices(),
                      [&](ArrayRef<int64_t> group) {
                        return llvm::count_if(group, [&](int64_t dim) {
                                 return type.isDynamicDim(dim);
                               }) > 1;
                      });
}

/// Views the same entries by a stride for each extent: that of the dimension
/// that is expanded times the extents after it.
void castToExtents(memref::ExpandShapeOp expand) {
  OpBuilder builder(expand);
  Location loc = expand.getLoc();
  auto source =
      memref::ExtractStridedMetadataOp::create(builder, loc, expand.getSrc());
  MemRefType type = expand.getResultType();
  auto [staticStrides, staticOffset] = type.getStridesAndOffset();
  auto known = [&](int64_t number, Value computed) -> OpFoldResult {
    return ShapedType::isDynamic(number)
               ? OpFoldResult(computed)
               : OpFoldResult(builder.getIndexAttr(number));
  };
  SmallVector<OpFoldResult> sizes = expand.getMixedOutputShape();
  SmallVector<OpFoldResult> strides(type.getRank(), builder.getIndexAttr(1));
  for (auto [group, base] :
       llvm::zip_equal(expand.getReassociationIndices(), source.getStrides())) {
    Value stride = base;
    for (int64_t dim : llvm::reverse(group)) {
      strides[dim] = known(staticStrides[dim], stride);
      stride = builder.createOrFold<arith::MulIOp>(
          loc, stride,
          getValueOrCreateConstantIndexOp(builder, loc, sizes[dim]));
    }
  }
  auto view = memref::ReinterpretCastOp::create(
      builder, loc, type, source.getBaseBuffer(),
      known(staticOffset, source.getOffset()), sizes, strides);
  expand.replaceAllUsesWith(view.getResult());
  expand.erase();
}

struct ExpandByExtentsPass : impl::ExpandByExtentsBase<ExpandByExtentsPass> {
  using ExpandByExtentsBase::ExpandByExtentsBase;

  void runOnOperation() override {
    getOperation()->walk([](memref::ExpandShapeOp expand) {
      if (hasSeveralDynamicExtents(expand))
        castToExtents(expand);
    });
  }
};

} // namespace
} // namespace npu
