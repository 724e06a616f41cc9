// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception

#include "BufferUses.h"

#include "mlir/Dialect/Bufferization/IR/Bufferization.h"
#include "mlir/Dialect/MemRef/IR/MemRef.h"
#include "mlir/Interfaces/LoopLikeInterface.h"
#include "mlir/Interfaces/SideEffectInterfaces.h"

using namespace mlir;

namespace npu {

BufferUses::BufferUses(func::FuncOp function)
    : function(function), flow(function) {
  for (Block &block : function.getBody())
    for (Operation &op : block) {
      numbers[&op] = static_cast<int64_t>(steps.size());
      steps.push_back(&op);
    }
}

int64_t BufferUses::stepOf(Operation *op) const {
  while (op->getParentOp() != function)
    op = op->getParentOp();
  return numbers.lookup(op);
}

/// Whether the operation's regions may run more than once in one execution.
static bool mayRepeat(Operation *op) {
  if (isa<LoopLikeOpInterface>(op))
    return true;
  auto branch = dyn_cast<RegionBranchOpInterface>(op);
  return !branch || branch.hasLoop();
}

LogicalResult BufferUses::checkStays(Value buffer, OpOperand &use) {
  Operation *user = use.getOwner();
  if (isa<func::ReturnOp>(user))
    return mlir::emitError(user->getLoc())
           << "expected buffers of tiles to stay in the function, got "
           << buffer.getType() << " as result #" << use.getOperandNumber();
  Operation *parent = user->getParentOp();
  if (user->hasTrait<OpTrait::IsTerminator>() && parent != function &&
      parent->isProperAncestor(buffer.getDefiningOp()) && mayRepeat(parent))
    return mlir::emitError(buffer.getDefiningOp()->getLoc())
           << "expected a tile's buffer that stays in its iteration, got one "
              "that '"
           << parent->getName()
           << "' hands on; npu-pin-loop-buffers gives what scf.for hands on "
              "one place";
  return success();
}

FailureOr<BufferUses::Lifetime> BufferUses::lifetime(Value buffer) {
  int64_t end = static_cast<int64_t>(steps.size()) - 1;
  Lifetime life{end, -1};
  for (Value alias : flow.resolve(buffer))
    for (OpOperand &use : alias.getUses()) {
      Operation *user = use.getOwner();
      if (failed(checkStays(buffer, use)))
        return failure();
      // Nobody sees what becomes of these.
      if (isa<memref::ExtractAlignedPointerAsIndexOp, bufferization::ToTensorOp,
              bufferization::ToBufferOp>(user))
        return Lifetime{0, end};
      // A view, a cast, a yield: what they make is in the set itself.
      if (isMemoryEffectFree(user) || isa<memref::DeallocOp>(user))
        continue;
      life.first = std::min(life.first, stepOf(user));
      life.last = std::max(life.last, stepOf(user));
    }
  if (!function.getBody().hasOneBlock())
    return Lifetime{0, end};
  if (life.last < 0)
    life.first = life.last = stepOf(buffer.getDefiningOp());
  return life;
}

bool BufferUses::mayWriteOver(linalg::LinalgOp op, OpOperand *output,
                              Value input) {
  if (op->getParentOp() != function || op.getNumLoops() == 0 ||
      op.getNumLoops() != op.getNumParallelLoops() ||
      op.payloadUsesValueFromOperand(output))
    return false;
  AffineMap written = op.getMatchingIndexingMap(output);
  if (!written.isPermutation())
    return false;
  // Nothing else that the operation touches may be in the same memory.
  for (Value alias : flow.resolve(input))
    for (OpOperand &use : alias.getUses()) {
      Operation *user = use.getOwner();
      if (stepOf(user) != stepOf(op) || isa<memref::DeallocOp>(user))
        continue;
      if (user != op || alias != input || !op.isDpsInput(&use) ||
          op.getMatchingIndexingMap(&use) != written)
        return false;
    }
  return true;
}

} // namespace npu
