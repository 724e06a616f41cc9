// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// Schedules the operations of a block for what runs at the same time: the
// tasks of tiles, or messages.

#ifndef NPU_LIB_CONVERSION_THREADS_TILESCHEDULE_H
#define NPU_LIB_CONVERSION_THREADS_TILESCHEDULE_H

#include "BufferAccess.h"

#include "mlir/IR/Block.h"
#include "llvm/ADT/DenseMap.h"

#include <vector>

namespace npu {

/// The parts of a phase, one after the other: operations that run alone, in
/// program order; tasks of tiles, at the same time; deallocations.
enum class Part { Alone, Task, Free };

struct ScheduledOp {
  mlir::Operation *op = nullptr;
  int64_t phase = 0;
  Part part = Part::Alone;
  /// The tile of a task, or TransferOp::ddr: tasks of different numbers run at
  /// the same time.
  int64_t tile = 0;
  /// The accesses of the operation; nothing where they are not known, so that
  /// all operations before it have to end before it begins, and all after it
  /// begin when it has ended.
  std::optional<BufferAccesses> accesses;
};

/// Whether `op` is made where its result is used: views, constants and
/// allocations have no place of their own in the schedule.
bool isMadeWhereUsed(mlir::Operation *op);

/// The operations with effects, in program order, each in the earliest phase
/// that its accesses allow. `setPart` sets the part of an operation and, where
/// it is a task, its tile; `conflicts` is one of the functions of
/// BufferAccess.h.
std::vector<ScheduledOp>
schedule(mlir::Block &block, llvm::function_ref<void(ScheduledOp &)> setPart,
         bool (*conflicts)(const BufferAccess &, const BufferAccess &));

/// The schedule in which each tile has a task.
///
/// Example: of `load to tile 0; load to tile 1; exp on tile 0; exp on tile 1;
/// copy tile 0 -> tile 1` the copy is in phase 1 as tile 1's, the rest in phase
/// 0, two operations in each tile's task.
std::vector<ScheduledOp> schedule(mlir::Block &block);

/// The schedule of a block that has tasks (async.execute) already: what begins
/// before all tasks so far have been awaited is of one phase, each task with a
/// number of its own for a tile's. Tasks inside of others, and those that wait
/// for others by themselves, are operations of unknown accesses.
std::vector<ScheduledOp> readTasks(mlir::Block &block);

} // namespace npu

#endif // NPU_LIB_CONVERSION_THREADS_TILESCHEDULE_H
