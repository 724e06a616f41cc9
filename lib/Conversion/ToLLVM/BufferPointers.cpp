// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception

#include "BufferPointers.h"

#include "LaneOperations.h"
#include "npu/Dialect/NPU/IR/TensorPlacement.h"

#include "mlir/Conversion/LLVMCommon/MemRefBuilder.h"
#include "mlir/Dialect/Affine/IR/AffineOps.h"
#include "mlir/Dialect/Arith/IR/Arith.h"
#include "mlir/Dialect/LLVMIR/LLVMDialect.h"
#include "mlir/Dialect/MemRef/IR/MemRef.h"
#include "mlir/Dialect/SCF/IR/SCF.h"
#include "mlir/Interfaces/ViewLikeInterface.h"

using namespace mlir;

namespace npu {

bool isMultiple(OpFoldResult number, int64_t of) {
  if (std::optional<int64_t> constant = getConstantIntValue(number))
    return *constant % of == 0;
  Value value = cast<Value>(number);
  if (auto loop = scf::getForInductionVarOwner(value))
    return isMultiple(loop.getLowerBound(), of) &&
           isMultiple(loop.getStep(), of);
  if (auto sum = value.getDefiningOp<arith::AddIOp>())
    return isMultiple(sum.getLhs(), of) && isMultiple(sum.getRhs(), of);
  if (auto product = value.getDefiningOp<arith::MulIOp>())
    return isMultiple(product.getLhs(), of) || isMultiple(product.getRhs(), of);
  auto apply = value.getDefiningOp<affine::AffineApplyOp>();
  if (!apply)
    return false;
  AffineMap map = apply.getAffineMap();
  if (map.getResult(0).isMultipleOf(of))
    return true;
  // Each operand that is a multiple counts as one.
  SmallVector<AffineExpr> dims, symbols;
  for (auto [at, operand] : llvm::enumerate(apply.getMapOperands())) {
    bool isDim = at < map.getNumDims();
    AffineExpr expr =
        isDim ? getAffineDimExpr(at, map.getContext())
              : getAffineSymbolExpr(at - map.getNumDims(), map.getContext());
    if (isMultiple(operand, of))
      expr = expr * of;
    (isDim ? dims : symbols).push_back(expr);
  }
  return map.getResult(0).replaceDimsAndSymbols(dims, symbols).isMultipleOf(of);
}

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
  auto size = bitsOfElement(part.getType().getElementType());
  if (!size ||
      failed(part.getSourceType().getStridesAndOffset(strides, offset)))
    return std::nullopt;
  int64_t bits = 0;
  for (auto [begin, stride] :
       llvm::zip_equal(part.getStaticOffsets(), strides)) {
    if (ShapedType::isDynamic(begin) || ShapedType::isDynamic(stride))
      return std::nullopt;
    bits += begin * stride * *size;
  }
  return bits % 8 == 0 ? std::optional(bits / 8) : std::nullopt;
}

/// Whether the part of a buffer begins as many elements after the buffer as
/// `perByte` divides.
bool beginsAfterBytes(memref::SubViewOp part, int64_t perByte) {
  SmallVector<int64_t> strides;
  int64_t offset = 0;
  if (failed(part.getSourceType().getStridesAndOffset(strides, offset)))
    return false;
  int64_t known = 0;
  for (auto [begin, stride] :
       llvm::zip_equal(part.getMixedOffsets(), strides)) {
    std::optional<int64_t> constant = getConstantIntValue(begin);
    if (constant && !ShapedType::isDynamic(stride))
      known += *constant * stride;
    else if ((ShapedType::isDynamic(stride) || stride % perByte != 0) &&
             !isMultiple(begin, perByte))
      return false;
  }
  return known % perByte == 0;
}

} // namespace

std::optional<int64_t> bitsOfElement(Type element) {
  if (!element.isIntOrIndexOrFloat() || !llvm::isPowerOf2_64(bitsOf(element)))
    return std::nullopt;
  return isPacked(element) ? bitsOf(element)
                           : llvm::alignTo(bitsOf(element), 8);
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

bool BufferPointers::beginsByte(Value buffer) {
  auto type = cast<MemRefType>(buffer.getType());
  if (!isPacked(type.getElementType()))
    return true;
  int64_t perByte = elementsPerByte(type.getElementType());
  while (Operation *view = buffer.getDefiningOp()) {
    if (isa<memref::ViewOp>(view))
      return true;
    auto part = dyn_cast<memref::SubViewOp>(view);
    if (part ? !beginsAfterBytes(part, perByte) : !bytesBefore(view))
      break;
    buffer = view->getOperand(0);
  }
  SmallVector<int64_t> strides;
  int64_t offset = 0;
  return !buffer.getDefiningOp<memref::SubViewOp>() &&
         succeeded(cast<MemRefType>(buffer.getType())
                       .getStridesAndOffset(strides, offset)) &&
         !ShapedType::isDynamic(offset) && offset % perByte == 0;
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
  MemRefDescriptor descriptor(words);
  if (!isPacked(type.getElementType()))
    return pointer = descriptor.bufferPtr(builder, loc, converter, type);
  // LLVM's elements take a byte each.
  Type index = builder.getI64Type();
  int64_t perByte = elementsPerByte(type.getElementType());
  Value before = LLVM::AShrOp::create(
      builder, loc, descriptor.offset(builder, loc),
      LLVM::ConstantOp::create(
          builder, loc, index,
          builder.getIntegerAttr(index, llvm::Log2_64(perByte))));
  Value begin = descriptor.alignedPtr(builder, loc);
  return pointer = LLVM::GEPOp::create(builder, loc, begin.getType(),
                                       builder.getI8Type(), begin, before);
}

void eraseUnusedViews(Operation *root) {
  SmallVector<Operation *> views;
  root->walk([&](ViewLikeOpInterface view) { views.push_back(view); });
  for (Operation *view : llvm::reverse(views))
    if (isOpTriviallyDead(view))
      view->erase();
}

} // namespace npu
