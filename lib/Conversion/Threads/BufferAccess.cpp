// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// Finds accesses from the effects that operations declare, through views, to
// allocations.

#include "BufferAccess.h"

#include "npu/Dialect/NPU/IR/NPUDialect.h"
#include "npu/Dialect/NPU/IR/TensorPlacement.h"
#include "npu/Placement/Distributions/WholeBytes.h"

#include "mlir/Dialect/Func/IR/FuncOps.h"
#include "mlir/Dialect/MPI/IR/MPI.h"
#include "mlir/Dialect/MemRef/IR/MemRef.h"
#include "mlir/Interfaces/SideEffectInterfaces.h"
#include "mlir/Interfaces/ViewLikeInterface.h"
#include "llvm/Support/MathExtras.h"

using namespace mlir;

namespace npu {
namespace {

int64_t spaceOf(Value buffer) {
  auto space = dyn_cast_or_null<IntegerAttr>(
      cast<BaseMemRefType>(buffer.getType()).getMemorySpace());
  return space ? space.getInt() : 0;
}

/// Whether the global is never written.
bool isConstant(memref::GetGlobalOp use) {
  auto global = SymbolTable::lookupNearestSymbolFrom<memref::GlobalOp>(
      use, use.getNameAttr());
  return global && global.getConstant();
}

/// Whether the value is memory that no other root shares, or that is only read.
/// The arguments of a public function are distinct buffers of the caller; other
/// functions can be called with one buffer twice.
bool isRoot(Value value) {
  if (auto argument = dyn_cast<BlockArgument>(value)) {
    auto function = dyn_cast<func::FuncOp>(argument.getOwner()->getParentOp());
    return function && function.isPublic() &&
           argument.getOwner() == &function.front();
  }
  if (auto global = value.getDefiningOp<memref::GetGlobalOp>())
    return isConstant(global);
  return isa<memref::AllocOp, memref::AllocaOp>(value.getDefiningOp());
}

/// Whether the view lies inside of its source.
bool staysInside(Operation *view) {
  return isa<memref::SubViewOp, memref::ViewOp, memref::ExpandShapeOp,
             memref::CollapseShapeOp, memref::CastOp, memref::TransposeOp,
             memref::MemorySpaceCastOp>(view);
}

/// The part of its source that a view has, where it is constant.
std::optional<Box> shownBy(Operation *view) {
  if (auto bytes = dyn_cast<memref::ViewOp>(view)) {
    // The source has bytes as elements: offset and size are in bytes, too.
    std::optional<int64_t> begin = getConstantIntValue(bytes.getByteShift());
    auto type = bytes.getType();
    auto size = bufferBytes(type.getElementType(), type.getShape());
    int64_t end = 0;
    if (!begin || !size || llvm::AddOverflow(*begin, *size, end))
      return std::nullopt;
    return Box{{*begin, end}};
  }
  auto part = dyn_cast<memref::SubViewOp>(view);
  if (!part || part.getSourceType().getRank() > kMaxRank)
    return std::nullopt;
  Box box;
  for (auto [offset, size, stride] :
       llvm::zip(part.getStaticOffsets(), part.getStaticSizes(),
                 part.getStaticStrides())) {
    if (ShapedType::isDynamic(offset) || ShapedType::isDynamic(size) ||
        ShapedType::isDynamic(stride))
      return std::nullopt;
    if (size == 0) {
      box.push_back({offset, offset});
      continue;
    }
    int64_t last = offset + (size - 1) * stride;
    box.push_back({std::min(offset, last), std::max(offset, last) + 1});
  }
  return box;
}

/// The part of its operand that a transfer touches.
std::optional<Box> touchedBy(Operation *op, OpOperand *operand) {
  auto transfer = dyn_cast<TransferOp>(op);
  if (!transfer || !operand)
    return std::nullopt;
  unsigned number = operand->getOperandNumber();
  return number == 0 ? transfer.getSourcePart()
                     : transfer.getDestPart(number - 1);
}

/// Makes the box of a buffer one of whole bytes: who writes an element writes
/// the byte that it shares with others.
void growToBytes(Value buffer, std::optional<Box> &box) {
  auto type = dyn_cast<MemRefType>(buffer.getType());
  if (!box || !type || !isPacked(type.getElementType()))
    return;
  if (!type.hasStaticShape() || !type.getLayout().isIdentity()) {
    box = std::nullopt;
    return;
  }
  Extents shape = toExtents(type.getShape());
  box = grownToBytes(
      *box, shape,
      cutsBetweenBytes(shape, {}, elementsPerByte(type.getElementType())));
}

/// The operation that begins the message that `op` begins or waits for.
Operation *messageOf(Operation *op) {
  if (auto wait = dyn_cast<mpi::Wait>(op))
    op = wait.getReq().getDefiningOp();
  return isa_and_nonnull<mpi::ISendOp, mpi::IRecvOp>(op) ? op : nullptr;
}

/// The access of `part` of a buffer, or of the whole buffer where there is no
/// `part`.
BufferAccess accessOf(Value buffer, const std::optional<Box> &part,
                      bool writes) {
  BufferAccess access{0, buffer, part, writes, {}, std::nullopt};
  bool inside = true;
  while (auto view = access.root.getDefiningOp<ViewLikeOpInterface>()) {
    inside &= staysInside(view);
    if (inside && !access.view && isa<memref::ViewOp>(view)) {
      access.view = access.root;
      access.boxInView = access.box;
      growToBytes(access.view, access.boxInView);
    }
    access.root = view.getViewSource();
    // Each step outwards expresses the box in the dimensions of the next
    // source.
    access.box = inside ? shownBy(view) : std::nullopt;
  }
  growToBytes(access.root, access.box);
  access.space = spaceOf(access.root);
  if (!isRoot(access.root)) {
    access.root = Value();
    access.box = std::nullopt;
  }
  return access;
}

} // namespace

BufferAccess accessOf(Value buffer, bool writes) {
  return accessOf(buffer, std::nullopt, writes);
}

Value bufferOfMessage(Operation *op) {
  Operation *message = messageOf(op);
  return message ? message->getOperand(0) : Value();
}

std::optional<BufferAccesses> accessesOf(Operation *root) {
  BufferAccesses accesses;
  WalkResult walk = root->walk([&](Operation *op) {
    if (Operation *message = messageOf(op)) {
      accesses.push_back(
          accessOf(message->getOperand(0), isa<mpi::IRecvOp>(message)));
      return WalkResult::advance();
    }
    auto effects = dyn_cast<MemoryEffectOpInterface>(op);
    if (!effects)
      return op->hasTrait<OpTrait::HasRecursiveMemoryEffects>()
                 ? WalkResult::advance()
                 : WalkResult::interrupt();
    SmallVector<MemoryEffects::EffectInstance> instances;
    effects.getEffects(instances);
    for (const MemoryEffects::EffectInstance &effect : instances) {
      if (isa<MemoryEffects::Allocate>(effect.getEffect()))
        continue;
      Value value = effect.getValue();
      if (!value || !isa<BaseMemRefType>(value.getType()))
        return WalkResult::interrupt();
      accesses.push_back(
          accessOf(value, touchedBy(op, effect.getEffectValue<OpOperand *>()),
                   !isa<MemoryEffects::Read>(effect.getEffect())));
    }
    return WalkResult::advance();
  });
  if (walk.wasInterrupted())
    return std::nullopt;
  return accesses;
}

bool conflict(const BufferAccess &a, const BufferAccess &b) {
  if (!(a.writes || b.writes) || a.space != b.space)
    return false;
  if (!a.root || !b.root)
    return true;
  if (a.root != b.root)
    return false;
  return !a.box || !b.box || overlap(*a.box, *b.box);
}

bool conflictWithinViews(const BufferAccess &a, const BufferAccess &b) {
  bool isOneView = a.view && a.view == b.view && a.boxInView && b.boxInView;
  return conflict(a, b) && (!isOneView || overlap(*a.boxInView, *b.boxInView));
}

bool covers(const BufferAccess &a, const BufferAccess &b) {
  if (!a.writes || a.space != b.space || a.root != b.root)
    return false;
  if (a.view && a.boxInView)
    return a.view == b.view && b.boxInView &&
           a.boxInView->contains(*b.boxInView);
  return !a.box || (b.box && a.box->contains(*b.box));
}

} // namespace npu
