// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// npu-run-tiles-in-parallel: rewrites blocks to async.execute regions by a
// schedule.

#include "../Buffers/BufferFlow.h"
#include "../Buffers/TransferParts.h"
#include "BlockOrder.h"
#include "FindRace.h"
#include "TileSchedule.h"
#include "npu/Conversion/Threads/Passes.h"
#include "npu/TileProgram/TileProgram.h"

#include "mlir/Dialect/Async/IR/Async.h"
#include "mlir/Dialect/Func/IR/FuncOps.h"
#include "mlir/Dialect/MemRef/IR/MemRef.h"
#include "mlir/IR/IRMapping.h"
#include "mlir/Interfaces/ControlFlowInterfaces.h"
#include "llvm/ADT/MapVector.h"

using namespace mlir;

namespace npu {

#define GEN_PASS_DEF_RUNTILESINPARALLEL
#include "npu/Conversion/Threads/Passes.h.inc"

namespace {

constexpr llvm::StringLiteral phaseAttrName =
    NPUDialect::PhaseAttrHelper::getNameStr();

using Task = SmallVector<Operation *>;

struct Phase {
  SmallVector<Operation *> alone, freed;
  llvm::MapVector<int64_t, Task> tasks;
};

/// Collects the operations that use a value, also through views of it.
void collectUsers(Value value, Block &block, SetVector<Operation *> &users) {
  for (Operation *user : value.getUsers()) {
    Operation *inBlock = block.findAncestorOpInBlock(*user);
    if (inBlock && isMadeWhereUsed(inBlock) && inBlock == user)
      for (Value view : user->getResults())
        collectUsers(view, block, users);
    else
      users.insert(inBlock ? inBlock : user);
  }
}

/// Lets the task that is the only user of a buffer allocate and free it, so
/// that its memory is not held while other phases run.
void giveBuffersToTasks(Block &block, std::vector<ScheduledOp> &ops,
                        llvm::DenseMap<Operation *, ScheduledOp *> &taskOf) {
  llvm::DenseMap<Operation *, ScheduledOp *> find;
  for (ScheduledOp &op : ops)
    find[op.op] = &op;
  for (auto alloc : block.getOps<memref::AllocOp>()) {
    SetVector<Operation *> users;
    collectUsers(alloc, block, users);
    ScheduledOp *task = nullptr;
    bool shared = users.empty();
    for (Operation *user : users) {
      ScheduledOp *used = find.lookup(user);
      shared |= !used || used->part == Part::Alone;
      if (shared)
        break;
      if (used->part != Part::Task)
        continue;
      shared |=
          task && (task->phase != used->phase || task->tile != used->tile);
      task = used;
    }
    if (shared || !task)
      continue;
    taskOf[alloc] = task;
    for (Operation *user : users)
      if (ScheduledOp *freed = find[user]; freed->part == Part::Free) {
        freed->part = Part::Task;
        freed->phase = task->phase;
        freed->tile = task->tile;
      }
  }
}

/// Reorders the operations of a block by phases, and writes tasks.
class PhaseWriter {
public:
  explicit PhaseWriter(Block &block)
      : block(block), builder(block.getTerminator()), order(block) {}

  void write(std::vector<ScheduledOp> ops) {
    giveBuffersToTasks(block, ops, taskOfBuffer);
    std::vector<Phase> phases;
    for (const ScheduledOp &op : ops) {
      if (static_cast<size_t>(op.phase) >= phases.size())
        phases.resize(op.phase + 1);
      Phase &phase = phases[op.phase];
      switch (op.part) {
      case Part::Alone:
        phase.alone.push_back(op.op);
        break;
      case Part::Task:
        phase.tasks[op.tile].push_back(op.op);
        break;
      case Part::Free:
        phase.freed.push_back(op.op);
        break;
      }
    }
    for (auto [number, phase] : llvm::enumerate(phases))
      write(phase, static_cast<int64_t>(number));
    order.finish();
  }

private:
  void write(Phase &phase, int64_t number) {
    for (Operation *op : phase.alone)
      order.place(op);
    SmallVector<Value> tokens;
    for (auto &[tile, task] : phase.tasks) {
      if (phase.tasks.size() == 1) {
        llvm::for_each(task, [&](Operation *op) { order.place(op); });
        continue;
      }
      // Place shared buffers before any task begins.
      for (Operation *op : task)
        requireShared(op);
    }
    if (phase.tasks.size() > 1)
      for (auto &[tile, task] : phase.tasks)
        tokens.push_back(writeTask(task, tile, number));
    for (Value token : tokens)
      async::AwaitOp::create(builder, token.getLoc(), token);
    for (Operation *op : phase.freed)
      order.place(op);
  }

  Value writeTask(const Task &task, int64_t tile, int64_t phase) {
    auto execute = async::ExecuteOp::create(
        builder, task.front()->getLoc(), TypeRange(), ValueRange(),
        ValueRange(), [](OpBuilder &, Location, ValueRange) {});
    if (execute.getBody()->empty()) {
      OpBuilder inside = OpBuilder::atBlockEnd(execute.getBody());
      async::YieldOp::create(inside, execute.getLoc(), ValueRange());
    }
    if (tile != TransferOp::ddr)
      execute->setAttr(tileAttrName, builder.getI64IntegerAttr(tile));
    execute->setAttr(phaseAttrName, builder.getI64IntegerAttr(phase));
    OpBuilder inside(execute.getBody()->getTerminator());
    IRMapping copies;
    for (Operation *op : task) {
      forEachOperand(op, [&](OpOperand &operand) {
        bring(operand.get(), inside, copies);
        operand.set(copies.lookupOrDefault(operand.get()));
      });
      op->moveBefore(execute.getBody()->getTerminator());
    }
    return execute.getToken();
  }

  /// Whether tasks use what an operation makes where it stands before them: a
  /// buffer of several tasks, or one in an arena, of which the plan of the
  /// arena knows one operation.
  bool isShared(Operation *made) const {
    return isa<memref::ViewOp>(made) ||
           (isa<memref::AllocOp>(made) && !taskOfBuffer.contains(made));
  }

  /// Makes a value available in a task: clones views and constants, and moves
  /// the task's own buffers into it.
  void bring(Value value, OpBuilder &inside, IRMapping &copies) {
    Operation *op = order.madeHere(value);
    if (!op || copies.contains(value) || isShared(op))
      return;
    if (isa<memref::AllocOp>(op)) {
      for (OpOperand &operand : op->getOpOperands()) {
        bring(operand.get(), inside, copies);
        operand.set(copies.lookupOrDefault(operand.get()));
      }
      op->moveBefore(&*inside.getInsertionPoint());
      return;
    }
    for (Value operand : op->getOperands())
      bring(operand, inside, copies);
    inside.clone(*op, copies);
  }

  /// Places the buffers that a task uses and does not own, also after views.
  void requireShared(Operation *op) {
    forEachOperand(op, [&](OpOperand &operand) {
      if (Operation *made = order.madeHere(operand.get())) {
        if (isShared(made))
          order.place(made);
        else if (!isa<memref::AllocOp>(made))
          requireShared(made);
      }
    });
  }

  Block &block;
  OpBuilder builder;
  llvm::DenseMap<Operation *, ScheduledOp *> taskOfBuffer;
  BlockOrder order;
};

/// Splits a transfer to several tiles into one for each of them, which the task
/// of the receiver does.
void splitByReceiver(TransferOp transfer) {
  if (transfer.getTo().size() == 1)
    return;
  for (unsigned i = 0; i < transfer.getTo().size(); ++i)
    createOnlyTo(transfer, i);
  transfer.erase();
}

struct RunTilesInParallelPass
    : impl::RunTilesInParallelBase<RunTilesInParallelPass> {
  using RunTilesInParallelBase::RunTilesInParallelBase;

  void runOnOperation() override {
    if (failed(checkFlow()))
      return signalPassFailure();
    getOperation()->walk([](TransferOp transfer) {
      if (transfer.hasPureBufferSemantics())
        splitByReceiver(transfer);
    });
    for (auto function : getOperation().getOps<func::FuncOp>())
      for (Block &block : function.getBody())
        if (failed(run(block)))
          return signalPassFailure();
  }

  /// Whether a type is no buffer, or a buffer in the memory of DDR or of a
  /// tile.
  static bool isInKnownSpace(Type type) {
    auto buffer = dyn_cast<BaseMemRefType>(type);
    if (!buffer || !buffer.getMemorySpace())
      return true;
    auto space = dyn_cast<IntegerAttr>(buffer.getMemorySpace());
    return space && space.getValue().isSignedIntN(64) && space.getInt() >= 0 &&
           space.getInt() <= kMaxTiles;
  }

  static LogicalResult checkSpaces(Operation *op) {
    auto check = [&](TypeRange types) -> LogicalResult {
      for (Type type : types)
        if (!isInKnownSpace(type))
          return op->emitError()
                 << "expected buffers in memory spaces from 0 (DDR) to "
                 << kMaxTiles << " (the tile's number plus one), got " << type;
      return success();
    };
    for (Region &region : op->getRegions())
      for (Block &block : region)
        if (failed(check(block.getArgumentTypes())))
          return failure();
    return check(op->getResultTypes());
  }

  /// Refuses operations that may give a buffer in another space than its type
  /// has, because buffers in different memory spaces count as different memory.
  LogicalResult checkFlow() {
    WalkResult walk = getOperation()->walk([](Operation *op) -> WalkResult {
      if (failed(checkSpaces(op)))
        return WalkResult::interrupt();
      if (isFlowKnown(op) && !isa<memref::MemorySpaceCastOp>(op))
        return WalkResult::advance();
      return op->emitError()
             << "expected operations that are known to give buffers of the "
                "memory space that they say, got '"
             << op->getName() << "'";
    });
    return failure(walk.wasInterrupted());
  }

  /// Refuses tasks of a file that do not give the same bits each time.
  static LogicalResult verifyTasks(Block &block) {
    auto race = findRace(readTasks(block));
    if (!race)
      return success();
    InFlightDiagnostic error = race->second->emitError(
        "expected tasks that touch different memory, or read it alone, while "
        "they run at the same time, got one that may touch what another one "
        "writes");
    error.attachNote(race->first->getLoc()) << "by this operation";
    return error;
  }

  static LogicalResult run(Block &block) {
    if (!block.getOps<async::ExecuteOp>().empty())
      return verifyTasks(block);
    std::vector<ScheduledOp> ops = schedule(block);
    if (auto race = findRace(ops)) {
      InFlightDiagnostic error = race->second->emitError(
          "expected phases that keep program order, got one in which what "
          "this operation touches is written or read at the same time");
      error.attachNote(race->first->getLoc()) << "by this one";
      return failure();
    }
    // Loops and branches run alone; schedule the blocks inside of them.
    for (const ScheduledOp &op : ops)
      if (op.part == Part::Alone && isa<RegionBranchOpInterface>(op.op))
        for (Region &region : op.op->getRegions())
          for (Block &inner : region)
            if (failed(run(inner)))
              return failure();
    PhaseWriter(block).write(std::move(ops));
    return success();
  }
};

} // namespace
} // namespace npu
