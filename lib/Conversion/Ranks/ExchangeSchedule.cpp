// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// Messages are the tasks of the schedule that tiles run by, each one of its
// own; everything else runs alone. Of the operations of a phase, a walk
// backwards finds those that its messages need.

#include "ExchangeSchedule.h"

#include "../Threads/BlockOrder.h"
#include "../Threads/TileSchedule.h"

#include "mlir/Dialect/MemRef/IR/MemRef.h"
#include "llvm/ADT/DenseMap.h"
#include "llvm/ADT/DenseSet.h"

using namespace mlir;

namespace npu {
namespace {

/// What the messages of a phase need to have happened before.
class Needs {
public:
  /// Adds an operation that has to come before the exchange, or is in it.
  void add(const ScheduledOp &scheduled) {
    addOperands(scheduled.op);
    if (!scheduled.accesses) {
      needsAll = true;
      return;
    }
    for (const BufferAccess &access : *scheduled.accesses) {
      BufferAccesses &known = accesses[access.space][access.root];
      llvm::erase_if(known, [&](const BufferAccess &other) {
        return covers(access, other);
      });
      known.push_back(access);
    }
  }

  /// Whether the operation, which is before all of those in the program, has to
  /// come before them.
  bool contain(const ScheduledOp &scheduled) const {
    return needsAll || operands.contains(scheduled.op) || !scheduled.accesses ||
           llvm::any_of(*scheduled.accesses, [&](const BufferAccess &access) {
             return conflictWith(access);
           });
  }

private:
  void addOperands(Operation *root) {
    forEachOperand(root, [&](OpOperand &operand) {
      Operation *definition = operand.get().getDefiningOp();
      if (definition && operands.insert(definition).second &&
          isMadeWhereUsed(definition))
        addOperands(definition);
    });
  }

  bool conflictWith(const BufferAccess &access) const {
    auto space = accesses.find(access.space);
    if (space == accesses.end())
      return false;
    auto conflictIn = [&](const BufferAccesses &known) {
      return llvm::any_of(known, [&](const BufferAccess &other) {
        return conflictWithinViews(access, other);
      });
    };
    // A buffer of unknown allocation may be any of its space.
    if (!access.root)
      return llvm::any_of(space->second, [&](const auto &known) {
        return conflictIn(known.second);
      });
    return llvm::any_of(ArrayRef<Value>{access.root, Value()}, [&](Value root) {
      auto known = space->second.find(root);
      return known != space->second.end() && conflictIn(known->second);
    });
  }

  llvm::DenseSet<Operation *> operands;
  llvm::DenseMap<int64_t, llvm::DenseMap<Value, BufferAccesses>> accesses;
  bool needsAll = false;
};

} // namespace

std::vector<ExchangePhase>
orderByExchanges(Block &block,
                 llvm::function_ref<bool(Operation *)> isMessage) {
  int64_t messages = 0;
  auto setPart = [&](ScheduledOp &scheduled) {
    if (isa<memref::DeallocOp>(scheduled.op)) {
      scheduled.part = Part::Free;
    } else if (isMessage(scheduled.op)) {
      scheduled.part = Part::Task;
      scheduled.tile = messages++;
    }
  };
  std::vector<ScheduledOp> ops = schedule(block, setPart, conflictWithinViews);
  std::vector<ExchangePhase> phases;
  std::vector<Needs> needs;
  auto reach = [&](int64_t phase) {
    if (static_cast<size_t>(phase) >= phases.size()) {
      phases.resize(phase + 1);
      needs.resize(phase + 1);
    }
  };
  for (const ScheduledOp &op : ops) {
    reach(op.phase + (op.part == Part::Free ? 1 : 0));
    if (op.part != Part::Task)
      continue;
    phases[op.phase].messages.push_back(op.op);
    needs[op.phase].add(op);
  }
  SmallVector<const ScheduledOp *> freed;
  for (const ScheduledOp &op : llvm::reverse(ops)) {
    if (op.part == Part::Free)
      freed.push_back(&op);
    if (op.part != Part::Alone)
      continue;
    ExchangePhase &phase = phases[op.phase];
    if (phase.messages.empty() || !needs[op.phase].contain(op)) {
      phase.beside.push_back(op.op);
      continue;
    }
    phase.before.push_back(op.op);
    needs[op.phase].add(op);
  }
  for (ExchangePhase &phase : phases) {
    std::reverse(phase.before.begin(), phase.before.end());
    std::reverse(phase.beside.begin(), phase.beside.end());
  }
  for (const ScheduledOp *op : llvm::reverse(freed))
    phases[op->phase + 1].beside.push_back(op->op);

  BlockOrder order(block);
  for (const ExchangePhase &phase : phases)
    for (const auto *part : {&phase.before, &phase.messages, &phase.beside})
      for (Operation *op : *part)
        order.place(op);
  order.finish();
  return phases;
}

} // namespace npu
