// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// npu-pin-loop-buffers: one place for what every iteration hands to the next.

#include "npu/Conversion/TilesToLLVM/Passes.h"

#include "ScratchpadBuffers.h"

using namespace mlir;

namespace npu {

#define GEN_PASS_DEF_PINLOOPBUFFERS
#include "npu/Conversion/TilesToLLVM/Passes.h.inc"

namespace {

MemRefType plainType(Type type) {
  auto memref = cast<MemRefType>(type);
  return MemRefType::get(memref.getShape(), memref.getElementType(),
                         MemRefLayoutAttrInterface(), memref.getMemorySpace());
}

/// Whether the loop may have the buffer for itself: nothing looks at it later.
bool endsAt(Value buffer, scf::ForOp loop) {
  auto alloc = buffer.getDefiningOp<memref::AllocOp>();
  if (!alloc || alloc->getBlock() != loop->getBlock())
    return false;
  return llvm::all_of(alloc->getUses(), [&](OpOperand &use) {
    Operation *user = use.getOwner();
    return user == loop
               ? llvm::count(loop.getInits(), buffer) == 1
               : user->getBlock() == loop->getBlock() &&
                     user->isBeforeInBlock(loop) && user->getNumResults() == 0;
  });
}

/// The buffer that stands for what the loop begins with.
Value carriedBuffer(OpBuilder &builder, scf::ForOp loop, Value init) {
  if (endsAt(init, loop))
    return init;
  Value carried = memref::AllocOp::create(builder, loop.getLoc(),
                                          plainType(init.getType()));
  memref::CopyOp::create(builder, loop.getLoc(), init, carried);
  if (carried.getType() != init.getType())
    carried =
        memref::CastOp::create(builder, loop.getLoc(), init.getType(), carried);
  return carried;
}

/// What may be in another carried buffer is copied out before any is written.
Value apart(OpBuilder &builder, scf::ForOp loop, Value yielded) {
  auto alloc = yielded.getDefiningOp<memref::AllocOp>();
  if (alloc && loop->isProperAncestor(alloc))
    return yielded;
  Value copy = memref::AllocOp::create(builder, yielded.getLoc(),
                                       plainType(yielded.getType()));
  memref::CopyOp::create(builder, yielded.getLoc(), yielded, copy);
  return copy;
}

void pin(scf::ForOp loop) {
  Operation *yield = loop.getBody()->getTerminator();
  SmallVector<std::pair<Value, Value>> copies;
  OpBuilder before(loop), end(yield);
  for (auto [i, argument] : llvm::enumerate(loop.getRegionIterArgs())) {
    auto type = dyn_cast<MemRefType>(argument.getType());
    Value yielded = yield->getOperand(i);
    if (!type || !tileOf(type) || !type.hasStaticShape() || yielded == argument)
      continue;
    OpOperand &init = loop.getInitsMutable()[i];
    init.set(carriedBuffer(before, loop, init.get()));
    copies.emplace_back(apart(end, loop, yielded), argument);
    yield->setOperand(i, argument);
  }
  for (auto [from, to] : copies)
    memref::CopyOp::create(end, yield->getLoc(), from, to);
}

struct PinLoopBuffersPass : impl::PinLoopBuffersBase<PinLoopBuffersPass> {
  using PinLoopBuffersBase::PinLoopBuffersBase;

  void runOnOperation() override {
    getOperation()->walk([](scf::ForOp loop) { pin(loop); });
  }
};

} // namespace
} // namespace npu
