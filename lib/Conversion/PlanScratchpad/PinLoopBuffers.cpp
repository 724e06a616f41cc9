// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// npu-pin-loop-buffers: gives the buffers that a loop hands to its next
// iteration one place.

#include "ScratchpadBuffers.h"
#include "npu/Conversion/PlanScratchpad/Passes.h"

#include "mlir/Dialect/MemRef/IR/MemRef.h"
#include "mlir/Dialect/SCF/IR/SCF.h"

using namespace mlir;

namespace npu {

#define GEN_PASS_DEF_PINLOOPBUFFERS
#include "npu/Conversion/PlanScratchpad/Passes.h.inc"

namespace {

MemRefType plainType(Type type) {
  auto memref = cast<MemRefType>(type);
  return MemRefType::get(memref.getShape(), memref.getElementType(),
                         MemRefLayoutAttrInterface(), memref.getMemorySpace());
}

/// The values that a loop hands from one iteration to the next: operand
/// `inits[i]` is `arguments[i]` in the first iteration, and operand `i` of
/// `end` in the next.
struct CarriedValues {
  Operation *loop;
  MutableArrayRef<OpOperand> inits;
  Block::BlockArgListType arguments;
  Operation *end;
};

/// Whether the loop may overwrite the buffer, because it has no later use.
bool isLastUsedBy(Value buffer, CarriedValues &on) {
  Operation *loop = on.loop;
  auto alloc = buffer.getDefiningOp<memref::AllocOp>();
  if (!alloc || alloc->getBlock() != loop->getBlock())
    return false;
  return llvm::all_of(alloc->getUses(), [&](OpOperand &use) {
    Operation *user = use.getOwner();
    return user == loop
               ? llvm::count(loop->getOperands(), buffer) == 1
               : user->getBlock() == loop->getBlock() &&
                     user->isBeforeInBlock(loop) && user->getNumResults() == 0;
  });
}

/// A new buffer of the type. A view with strides or an offset, as both the
/// operand and what the loop yields may be one, is a view of as many elements
/// as the strides and the offset reach: no more than the buffer has that the
/// operand is a view of.
Value allocateAs(OpBuilder &builder, Location loc, MemRefType type) {
  MemRefType plain = plainType(type);
  if (type == plain)
    return memref::AllocOp::create(builder, loc, plain);
  if (memref::CastOp::areCastCompatible(plain, type))
    return memref::CastOp::create(builder, loc, type,
                                  memref::AllocOp::create(builder, loc, plain));
  auto [strides, offset] = type.getStridesAndOffset();
  int64_t reach = 0;
  if (type.getNumElements() > 0) {
    reach = offset + 1;
    for (auto [size, stride] : llvm::zip_equal(type.getShape(), strides))
      reach += (size - 1) * stride;
  }
  auto row =
      MemRefType::get({reach}, type.getElementType(),
                      MemRefLayoutAttrInterface(), type.getMemorySpace());
  return memref::ReinterpretCastOp::create(
      builder, loc, type, memref::AllocOp::create(builder, loc, row), offset,
      type.getShape(), strides);
}

/// The buffer that carries the value which begins as `init`.
Value carriedBuffer(OpBuilder &builder, CarriedValues &on, Value init) {
  if (isLastUsedBy(init, on))
    return init;
  Location loc = on.loop->getLoc();
  Value carried = allocateAs(builder, loc, cast<MemRefType>(init.getType()));
  memref::CopyOp::create(builder, loc, init, carried);
  return carried;
}

/// Copies a yielded buffer that may be another carried one, before any carried
/// buffer is written.
Value copyIfShared(OpBuilder &builder, Operation *loop, Value yielded) {
  auto alloc = yielded.getDefiningOp<memref::AllocOp>();
  if (alloc && loop->isProperAncestor(alloc))
    return yielded;
  Value copy = memref::AllocOp::create(builder, yielded.getLoc(),
                                       plainType(yielded.getType()));
  memref::CopyOp::create(builder, yielded.getLoc(), yielded, copy);
  return copy;
}

/// Whether the next iteration gets the same buffer as this one.
bool isKept(Operation *loop, Value yielded, BlockArgument argument) {
  auto again = dyn_cast<scf::WhileOp>(loop);
  auto second = dyn_cast<BlockArgument>(yielded);
  if (again && second && second.getOwner() == again.getAfterBody())
    yielded = again.getConditionOp().getArgs()[second.getArgNumber()];
  return yielded == argument;
}

void pin(CarriedValues on) {
  SmallVector<std::pair<Value, Value>> copies;
  OpBuilder before(on.loop), end(on.end);
  for (auto [i, argument] : llvm::enumerate(on.arguments)) {
    auto type = dyn_cast<MemRefType>(argument.getType());
    Value yielded = on.end->getOperand(i);
    if (!type || !tileOf(type) || !type.hasStaticShape() ||
        isKept(on.loop, yielded, argument))
      continue;
    OpOperand &init = on.inits[i];
    init.set(carriedBuffer(before, on, init.get()));
    // Arguments of the first region of an scf.while are not visible in the
    // second.
    Value carried = isa<scf::WhileOp>(on.loop) ? init.get() : Value(argument);
    copies.emplace_back(copyIfShared(end, on.loop, yielded), carried);
    on.end->setOperand(i, carried);
  }
  for (auto [from, to] : copies)
    memref::CopyOp::create(end, on.end->getLoc(), from, to);
}

struct PinLoopBuffersPass : impl::PinLoopBuffersBase<PinLoopBuffersPass> {
  using PinLoopBuffersBase::PinLoopBuffersBase;

  void runOnOperation() override {
    getOperation()->walk([](Operation *op) {
      if (auto loop = dyn_cast<scf::ForOp>(op))
        pin({loop.getOperation(), loop.getInitsMutable(),
             loop.getRegionIterArgs(), loop.getBody()->getTerminator()});
      if (auto loop = dyn_cast<scf::WhileOp>(op))
        pin({loop.getOperation(), loop.getInitsMutable(),
             loop.getBeforeArguments(), loop.getYieldOp().getOperation()});
    });
  }
};

} // namespace
} // namespace npu
