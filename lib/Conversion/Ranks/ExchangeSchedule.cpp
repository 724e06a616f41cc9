// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// Messages are the tasks of the schedule that tiles run by, each one of its
// own; everything else runs alone. Of the operations of a phase, a walk
// backwards finds those that its messages need; a walk forwards finds the last
// one that each message needs.

#include "ExchangeSchedule.h"

#include "../Threads/BlockOrder.h"
#include "../Threads/TileSchedule.h"

#include "mlir/Dialect/MemRef/IR/MemRef.h"
#include "llvm/ADT/DenseMap.h"
#include "llvm/ADT/MapVector.h"
#include "llvm/ADT/STLExtras.h"
#include "llvm/ADT/SmallPtrSet.h"

using namespace mlir;

namespace npu {
namespace {

/// The accesses of operations, each with the number of its operation. An access
/// that one added later covers is dropped.
class NumberedAccesses {
public:
  /// Adds an access of an operation that is after those so far, or before all
  /// of them, and has the largest number.
  void add(const BufferAccess &access, size_t number) {
    auto &known = bySpace[access.space][access.root];
    llvm::erase_if(
        known, [&](const auto &other) { return covers(access, other.first); });
    known.push_back({access, number});
  }

  /// One more than the largest number of an operation with an access that
  /// conflicts; 0 where there is none.
  size_t endOfConflicts(const BufferAccess &access) const {
    auto space = bySpace.find(access.space);
    if (space == bySpace.end())
      return 0;
    size_t end = 0;
    // A buffer of unknown allocation may be any of its space.
    for (const auto &[root, known] : space->second)
      if (!root || !access.root || root == access.root)
        for (const auto &[other, number] : known)
          if (number >= end && conflictWithinViews(access, other))
            end = number + 1;
    return end;
  }

private:
  llvm::DenseMap<int64_t,
                 llvm::SmallMapVector<
                     Value, SmallVector<std::pair<BufferAccess, size_t>, 2>, 2>>
      bySpace;
};

using Operations = llvm::SmallPtrSet<Operation *, 8>;

/// Adds the operations of which an operation uses results, also by views of
/// them.
void addDefinitions(Operation *root, Operations &definitions) {
  forEachOperand(root, [&](OpOperand &operand) {
    Operation *definition = operand.get().getDefiningOp();
    if (definition && definitions.insert(definition).second &&
        isMadeWhereUsed(definition))
      addDefinitions(definition, definitions);
  });
}

/// What the messages of a phase need to have happened before.
class Needs {
public:
  /// Adds an operation that has to come before the exchange, or is in it.
  void add(const ScheduledOp &scheduled) {
    addDefinitions(scheduled.op, definitions);
    needsAll |= !scheduled.accesses;
    if (scheduled.accesses)
      for (const BufferAccess &access : *scheduled.accesses)
        accesses.add(access, 0);
  }

  /// Whether the operation, which is before all of those in the program, has to
  /// come before them.
  bool contain(const ScheduledOp &scheduled) const {
    return needsAll || definitions.contains(scheduled.op) ||
           !scheduled.accesses ||
           llvm::any_of(*scheduled.accesses, [&](const BufferAccess &access) {
             return accesses.endOfConflicts(access) > 0;
           });
  }

private:
  Operations definitions;
  NumberedAccesses accesses;
  bool needsAll = false;
};

/// Puts each message right after the last operation that has to come before it.
SmallVector<Operation *>
insertMessages(ArrayRef<const ScheduledOp *> before,
               ArrayRef<const ScheduledOp *> messages) {
  llvm::DenseMap<Operation *, size_t> numbers;
  NumberedAccesses accesses;
  size_t endOfUnknown = 0;
  for (auto [number, scheduled] : llvm::enumerate(before)) {
    numbers[scheduled->op] = number;
    if (!scheduled->accesses)
      endOfUnknown = number + 1;
    else
      for (const BufferAccess &access : *scheduled->accesses)
        accesses.add(access, number);
  }
  std::vector<SmallVector<Operation *, 1>> after(before.size() + 1);
  for (const ScheduledOp *message : messages) {
    size_t end = endOfUnknown;
    for (const BufferAccess &access : *message->accesses)
      end = std::max(end, accesses.endOfConflicts(access));
    Operations definitions;
    addDefinitions(message->op, definitions);
    for (Operation *op : definitions)
      if (auto known = numbers.find(op); known != numbers.end())
        end = std::max(end, known->second + 1);
    after[end].push_back(message->op);
  }
  SmallVector<Operation *> all(after.front().begin(), after.front().end());
  for (auto [number, scheduled] : llvm::enumerate(before)) {
    all.push_back(scheduled->op);
    llvm::append_range(all, after[number + 1]);
  }
  return all;
}

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
  struct Parts {
    SmallVector<const ScheduledOp *> before, messages, beside, freed;
    Needs needs;
  };
  std::vector<Parts> parts;
  for (const ScheduledOp &op : ops) {
    // What is freed is in the phase after.
    parts.resize(std::max<size_t>(parts.size(), op.phase + 2));
    if (op.part == Part::Free)
      parts[op.phase + 1].freed.push_back(&op);
    if (op.part != Part::Task)
      continue;
    parts[op.phase].messages.push_back(&op);
    parts[op.phase].needs.add(op);
  }
  for (const ScheduledOp &op : llvm::reverse(ops)) {
    if (op.part != Part::Alone)
      continue;
    Parts &phase = parts[op.phase];
    bool isNeeded = !phase.messages.empty() && phase.needs.contain(op);
    (isNeeded ? phase.before : phase.beside).push_back(&op);
    if (isNeeded)
      phase.needs.add(op);
  }
  BlockOrder order(block);
  std::vector<ExchangePhase> phases;
  for (Parts &phase : parts) {
    std::reverse(phase.before.begin(), phase.before.end());
    std::reverse(phase.beside.begin(), phase.beside.end());
    llvm::append_range(phase.beside, phase.freed);
    ExchangePhase &made = phases.emplace_back();
    made.before = insertMessages(phase.before, phase.messages);
    for (const ScheduledOp *op : phase.beside)
      made.beside.push_back(op->op);
    for (Operation *op : llvm::concat<Operation *>(made.before, made.beside))
      order.place(op);
  }
  order.finish();
  return phases;
}

} // namespace npu
