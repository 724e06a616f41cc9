// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// Schedules a block by one walk in program order. The history of every buffer
// has the phases in which its parts were accessed, and by which tiles; an
// operation is placed after those that it conflicts with.

#include "TileSchedule.h"

#include "npu/Dialect/NPU/IR/NPUDialect.h"

#include "mlir/Dialect/Async/IR/Async.h"
#include "mlir/Dialect/MemRef/IR/MemRef.h"
#include "mlir/Interfaces/SideEffectInterfaces.h"
#include "llvm/ADT/MapVector.h"

using namespace mlir;

namespace npu {

bool isMadeWhereUsed(Operation *op) {
  return isa<memref::AllocOp>(op) ||
         (op->getNumRegions() == 0 && op->getNumResults() > 0 &&
          isMemoryEffectFree(op));
}

namespace {

/// The first phase in which `later` can be placed if it has to run after
/// `earlier`.
int64_t firstPhaseAfter(const ScheduledOp &earlier, const ScheduledOp &later) {
  bool waits = earlier.part > later.part ||
               (earlier.part == Part::Task && later.part == Part::Task &&
                earlier.tile != later.tile);
  return earlier.phase + (waits ? 1 : 0);
}

/// The tile whose task runs an operation: the one that it writes to, or the one
/// that it reads from when it writes to DDR. Nothing where several tiles are
/// written, or where it has results, which only the calling thread may use.
std::optional<int64_t> taskOf(const ScheduledOp &scheduled) {
  if (!scheduled.accesses || scheduled.accesses->empty() ||
      scheduled.op->getNumResults())
    return std::nullopt;
  std::optional<int64_t> written, read;
  for (const BufferAccess &access : *scheduled.accesses) {
    if (access.space == 0)
      continue;
    std::optional<int64_t> &space = access.writes ? written : read;
    if (space && *space != access.space)
      return std::nullopt;
    space = access.space;
  }
  std::optional<int64_t> space = written ? written : read;
  return space ? *space - 1 : TransferOp::ddr;
}

void setPartOfTile(ScheduledOp &scheduled) {
  if (isa<memref::DeallocOp>(scheduled.op)) {
    scheduled.part = Part::Free;
  } else if (std::optional<int64_t> tile = taskOf(scheduled)) {
    scheduled.part = Part::Task;
    scheduled.tile = *tile;
  }
}

using Conflict = bool (*)(const BufferAccess &, const BufferAccess &);

/// The history of one buffer: the last phase of every kind of access.
class BufferHistory {
public:
  void order(ScheduledOp &op, const BufferAccess &access,
             Conflict conflicts) const {
    for (const Entry &entry : entries)
      if (conflicts(entry.access, access))
        op.phase = std::max(op.phase, firstPhaseAfter(entry.last, op));
  }

  void record(const ScheduledOp &op, const BufferAccess &access) {
    // The operation is after these already.
    llvm::erase_if(entries, [&](const Entry &entry) {
      return covers(access, entry.access);
    });
    for (Entry &entry : entries)
      if (entry.last.part == op.part && entry.last.tile == op.tile &&
          entry.access.writes == access.writes &&
          entry.access.box == access.box && entry.access.view == access.view &&
          entry.access.boxInView == access.boxInView) {
        entry.last.phase = std::max(entry.last.phase, op.phase);
        return;
      }
    entries.push_back({access, {nullptr, op.phase, op.part, op.tile, {}}});
  }

private:
  struct Entry {
    BufferAccess access;
    ScheduledOp last;
  };
  SmallVector<Entry, 4> entries;
};

class Scheduler {
public:
  Scheduler(llvm::function_ref<void(ScheduledOp &)> setPart, Conflict conflicts)
      : setPart(setPart), conflicts(conflicts) {}

  void add(Operation *op) {
    ScheduledOp scheduled{op, earliest, Part::Alone, 0, accessesOf(op)};
    setPart(scheduled);
    waitForOperands(scheduled);
    if (scheduled.accesses) {
      for (const BufferAccess &access : *scheduled.accesses)
        forEachHistory(access, [&](const BufferHistory &history) {
          history.order(scheduled, access, conflicts);
        });
    } else {
      scheduled.phase = end;
      earliest = end;
    }
    if (scheduled.accesses)
      for (const BufferAccess &access : *scheduled.accesses)
        histories[{access.space, access.root}].record(scheduled, access);
    end = std::max(end,
                   scheduled.phase + (scheduled.part == Part::Alone ? 0 : 1));
    phases[op] = scheduled.phase;
    ops.push_back(std::move(scheduled));
  }

  /// Records a value that is made where it is used: it is available as soon as
  /// its operands are.
  void addMadeWhereUsed(Operation *op) { phases[op] = phaseOfOperands(op); }

  std::vector<ScheduledOp> take() { return std::move(ops); }

private:
  /// The phase in which all operands of `root` are available. Operands are
  /// results of operations that run alone, or are made where they are used.
  int64_t phaseOfOperands(Operation *root) const {
    int64_t phase = 0;
    root->walk([&](Operation *op) {
      for (Value operand : op->getOperands())
        if (Operation *made = operand.getDefiningOp())
          phase = std::max(phase, phases.lookup(made));
    });
    return phase;
  }

  void waitForOperands(ScheduledOp &scheduled) const {
    scheduled.phase = std::max(scheduled.phase, phaseOfOperands(scheduled.op));
  }

  /// Calls `visit` for the history of each buffer that the access may be of: an
  /// unknown buffer may be any in its space.
  void forEachHistory(const BufferAccess &access,
                      llvm::function_ref<void(const BufferHistory &)> visit) {
    if (access.root) {
      for (Value root : {access.root, Value()})
        if (auto it = histories.find({access.space, root});
            it != histories.end())
          visit(it->second);
      return;
    }
    for (const auto &[key, history] : histories)
      if (key.first == access.space)
        visit(history);
  }

  llvm::function_ref<void(ScheduledOp &)> setPart;
  Conflict conflicts;
  std::vector<ScheduledOp> ops;
  llvm::DenseMap<Operation *, int64_t> phases;
  llvm::MapVector<std::pair<int64_t, Value>, BufferHistory> histories;
  /// The first phase that later operations may be in.
  int64_t earliest = 0;
  /// The first phase that begins when all operations so far have ended.
  int64_t end = 0;
};

} // namespace

std::vector<ScheduledOp>
schedule(Block &block, llvm::function_ref<void(ScheduledOp &)> setPart,
         Conflict conflicts) {
  Scheduler scheduler(setPart, conflicts);
  for (Operation &op : block.without_terminator()) {
    if (isMadeWhereUsed(&op))
      scheduler.addMadeWhereUsed(&op);
    else
      scheduler.add(&op);
  }
  return scheduler.take();
}

std::vector<ScheduledOp> schedule(Block &block) {
  return schedule(block, setPartOfTile, conflict);
}

std::vector<ScheduledOp> readTasks(Block &block) {
  std::vector<ScheduledOp> ops;
  llvm::SmallPtrSet<Value, 16> underWay;
  int64_t phase = 0, task = 0;
  auto add = [&](Operation &op) {
    if (!isMadeWhereUsed(&op))
      ops.push_back({&op, phase, Part::Task, task, accessesOf(&op)});
  };
  for (Operation &op : block.without_terminator()) {
    if (auto await = dyn_cast<async::AwaitOp>(op)) {
      underWay.erase(await.getOperand());
      continue;
    }
    ++task;
    if (underWay.empty())
      ++phase;
    auto execute = dyn_cast<async::ExecuteOp>(op);
    if (!execute || !execute.getDependencies().empty() ||
        !execute.getBodyOperands().empty()) {
      add(op);
      continue;
    }
    underWay.insert(execute.getToken());
    for (Operation &inside : execute.getBody()->without_terminator())
      add(inside);
  }
  return ops;
}

} // namespace npu
