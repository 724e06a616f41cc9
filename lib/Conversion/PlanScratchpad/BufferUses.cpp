// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception

#include "BufferUses.h"

#include "ScratchpadBuffers.h"
#include "npu/Analysis/Choices/StoresInPlace.h"
#include "npu/Analysis/Choices/WritesOver.h"

#include "mlir/Dialect/Async/IR/Async.h"
#include "mlir/Dialect/MemRef/IR/MemRef.h"
#include "mlir/Dialect/SCF/IR/SCF.h"
#include "mlir/Interfaces/ControlFlowInterfaces.h"
#include "mlir/Interfaces/LoopLikeInterface.h"
#include "mlir/Interfaces/SideEffectInterfaces.h"
#include "mlir/Interfaces/ViewLikeInterface.h"

using namespace mlir;

namespace npu {

BufferUses::BufferUses(func::FuncOp function)
    : function(function), flow(function) {
  for (Block &block : function.getBody())
    number(block);
}

void BufferUses::number(Block &block) {
  for (Operation &op : block) {
    numbers[&op] = static_cast<int64_t>(steps.size());
    steps.push_back(&op);
    if (auto loop = dyn_cast<scf::ForOp>(op); loop && op.hasAttr(stepsAttrName))
      number(*loop.getBody());
    // Tasks that run beside each other do not touch the same bytes
    // (npu-run-tiles-in-parallel): they count as if each came after the other.
    if (auto task = dyn_cast<async::ExecuteOp>(op))
      number(*task.getBody());
    ends[&op] = static_cast<int64_t>(steps.size()) - 1;
  }
}

int64_t BufferUses::stepOf(Operation *op) const {
  while (!numbers.contains(op))
    op = op->getParentOp();
  return numbers.lookup(op);
}

bool BufferUses::crossesDdr(Value buffer) {
  for (Value alias : flow.aliases(buffer))
    for (Operation *user : alias.getUsers()) {
      if (isMemoryEffectFree(user))
        continue;
      auto isInDdr = [](Type type) {
        return isa<MemRefType>(type) && !tileOf(type);
      };
      if (llvm::any_of(user->getOperandTypes(), isInDdr))
        return true;
    }
  return false;
}

/// Whether the operation's regions may run more than once in one execution.
static bool mayRepeat(Operation *op) {
  if (isa<LoopLikeOpInterface>(op))
    return true;
  auto branch = dyn_cast<RegionBranchOpInterface>(op);
  return !branch || branch.hasLoop();
}

/// Whether a branch may lead to the place where the buffer is made.
static bool leadsTo(BranchOpInterface branch, Operation *made) {
  Operation *inRegion =
      branch->getParentRegion()->findAncestorOpInRegion(*made);
  if (!inRegion)
    return false;
  return llvm::any_of(branch->getSuccessors(), [&](Block *successor) {
    return successor == inRegion->getBlock() ||
           successor->isReachable(inRegion->getBlock());
  });
}

bool BufferUses::repeatsAround(Value buffer) const {
  for (Operation *op = buffer.getDefiningOp(); op != function;
       op = op->getParentOp())
    if (!op->getParentRegion()->hasOneBlock() ||
        (op->getParentOp() != function && mayRepeat(op->getParentOp())))
      return true;
  return false;
}

LogicalResult BufferUses::checkStays(Value buffer, OpOperand &use) {
  Operation *user = use.getOwner(), *made = buffer.getDefiningOp();
  if (isa<func::ReturnOp>(user))
    return mlir::emitError(user->getLoc())
           << "expected buffers of tiles to stay in the function, got "
           << buffer.getType() << " as result #" << use.getOperandNumber();
  if (mayEscape(use) && repeatsAround(buffer))
    return mlir::emitError(made->getLoc())
           << "expected a tile's buffer that stays in its iteration, got one "
              "that '"
           << user->getName()
           << "' takes, of which it is not known what it hands on";
  Operation *parent = user->getParentOp();
  auto branch = dyn_cast<BranchOpInterface>(user);
  // The values that the condition of an scf.while hands on were made in the
  // same iteration.
  bool handsOn = user->hasTrait<OpTrait::IsTerminator>() &&
                 !isa<scf::ConditionOp>(user) && parent != function &&
                 parent->isProperAncestor(made) && mayRepeat(parent);
  if (!handsOn && !(branch && leadsTo(branch, made)))
    return success();
  return mlir::emitError(made->getLoc())
         << "expected a tile's buffer that stays in its iteration, got one "
            "that '"
         << (branch ? user : parent)->getName()
         << "' hands on; npu-pin-loop-buffers gives what scf.for and "
            "scf.while hand on one place";
}

/// Whether the operation only gives an alias of its operand, which is in the
/// alias set itself.
static bool onlyForwards(OpOperand &use) {
  Operation *user = use.getOwner();
  auto view = dyn_cast<ViewLikeOpInterface>(user);
  return isMemoryEffectFree(user) &&
         (!view || view.getViewSource() == use.get());
}

FailureOr<BufferUses::Lifetime> BufferUses::lifetime(Value buffer) {
  for (Value alias : flow.aliases(buffer))
    for (OpOperand &use : alias.getUses()) {
      Operation *user = use.getOwner();
      if (failed(checkStays(buffer, use)))
        return failure();
      if (isa<memref::DeallocOp>(user) && alias != buffer)
        return mlir::emitError(user->getLoc())
               << "expected what frees a tile's buffer to name the buffer "
                  "itself, got one of several that it may be";
    }
  return touched(buffer);
}

BufferUses::Lifetime BufferUses::touched(Value buffer) {
  int64_t end = static_cast<int64_t>(steps.size()) - 1;
  Lifetime life{end, -1};
  bool always = !function.getBody().hasOneBlock();
  // Where all uses are counted: of what stays on tiles, the round of a loop.
  Block *home = buffer.getParentBlock();
  if (!numbers.contains(home->getParentOp()) || crossesDdr(buffer))
    home = &function.getBody().front();
  for (Value alias : flow.aliases(buffer))
    for (OpOperand &use : alias.getUses()) {
      Operation *user = use.getOwner();
      // The buffer escapes here.
      always |= mayEscape(use);
      if (onlyForwards(use) || isa<memref::DeallocOp>(user))
        continue;
      Operation *at = home->findAncestorOpInBlock(*user);
      if (auto task = dyn_cast_or_null<async::ExecuteOp>(at))
        at = task.getBody()->findAncestorOpInBlock(*user);
      if (!at || !numbers.contains(at)) {
        always = true;
        continue;
      }
      life.first = std::min(life.first, numbers.lookup(at));
      life.last = std::max(life.last, ends.lookup(at));
    }
  if (always)
    return Lifetime{0, end};
  if (life.last < 0)
    life.first = life.last = stepOf(buffer.getDefiningOp());
  return life;
}

bool BufferUses::mayWriteOver(linalg::LinalgOp op, OpOperand *output,
                              Value input) {
  if (!numbers.contains(op) || !npu::mayWriteOver(op, *output, input))
    return false;
  // No other operand of the operation may be in the memory of `input`.
  for (Value alias : flow.aliases(input))
    for (OpOperand &use : alias.getUses()) {
      Operation *user = use.getOwner();
      if (stepOf(user) != stepOf(op) || isa<memref::DeallocOp>(user))
        continue;
      if (user != op || alias != input)
        return false;
    }
  return true;
}

} // namespace npu
