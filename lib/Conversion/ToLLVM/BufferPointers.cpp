// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception

#include "BufferPointers.h"

#include "LaneOperations.h"

#include "mlir/Conversion/LLVMCommon/MemRefBuilder.h"
#include "mlir/Dialect/LLVMIR/LLVMDialect.h"
#include "mlir/Dialect/MemRef/IR/MemRef.h"
#include "mlir/Interfaces/ViewLikeInterface.h"

using namespace mlir;

namespace npu {
namespace {

/// The bytes from the first element of the source of a view to that of the
/// view; nothing where that is not known, and for what is no view.
std::optional<int64_t> bytesBefore(Operation *view) {
  if (isa_and_nonnull<memref::ExpandShapeOp, memref::CollapseShapeOp,
                      memref::TransposeOp>(view))
    return 0;
  if (auto bytes = dyn_cast_or_null<memref::ViewOp>(view))
    return getConstantIntValue(bytes.getByteShift());
  auto part = dyn_cast_or_null<memref::SubViewOp>(view);
  if (!part)
    return std::nullopt;
  SmallVector<int64_t> strides;
  int64_t offset = 0;
  auto size = bytesOfElement(part.getType().getElementType());
  if (!size ||
      failed(part.getSourceType().getStridesAndOffset(strides, offset)))
    return std::nullopt;
  int64_t bytes = 0;
  for (auto [begin, stride] :
       llvm::zip_equal(part.getStaticOffsets(), strides)) {
    if (ShapedType::isDynamic(begin) || ShapedType::isDynamic(stride))
      return std::nullopt;
    bytes += begin * stride * *size;
  }
  return bytes;
}

} // namespace

std::optional<int64_t> bytesOfElement(Type element) {
  if (!element.isIntOrIndexOrFloat() || !llvm::isPowerOf2_64(bitsOf(element)))
    return std::nullopt;
  return llvm::divideCeil(bitsOf(element), 8);
}

Value BufferPointers::pointerTo(OpBuilder &builder, Location loc,
                                Value buffer) {
  int64_t bytes = 0;
  while (std::optional<int64_t> before = bytesBefore(buffer.getDefiningOp())) {
    bytes += *before;
    // The first operand of each of these views; a transpose has no interface.
    buffer = buffer.getDefiningOp()->getOperand(0);
  }
  Value root = pointerToRoot(buffer, &*builder.getInsertionPoint());
  if (bytes == 0)
    return root;
  Type index = builder.getI64Type();
  Value distance = LLVM::ConstantOp::create(
      builder, loc, index, builder.getIntegerAttr(index, bytes));
  return LLVM::GEPOp::create(builder, loc, root.getType(), builder.getI8Type(),
                             root, distance);
}

Value BufferPointers::pointerToRoot(Value root, Operation *user) {
  Value &pointer = roots[root];
  if (pointer)
    return pointer;
  // In front of the first user, so that the pointer is not alive from the
  // beginning of a function of many arguments.
  OpBuilder builder(root.getContext());
  if (Operation *first = root.getParentBlock()->findAncestorOpInBlock(*user))
    builder.setInsertionPoint(first);
  else
    builder.setInsertionPointAfterValue(root);
  Location loc = root.getLoc();
  auto type = cast<MemRefType>(root.getType());
  Value words = UnrealizedConversionCastOp::create(
                    builder, loc, converter.convertType(type), root)
                    .getResult(0);
  pointer = MemRefDescriptor(words).bufferPtr(builder, loc, converter, type);
  return pointer;
}

void eraseUnusedViews(Operation *root) {
  SmallVector<Operation *> views;
  root->walk([&](ViewLikeOpInterface view) { views.push_back(view); });
  for (Operation *view : llvm::reverse(views))
    if (isOpTriviallyDead(view))
      view->erase();
}

} // namespace npu
