// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// When each operation of a block runs if tiles run at the same time.

#ifndef NPU_LIB_CONVERSION_THREADS_TILESCHEDULE_H
#define NPU_LIB_CONVERSION_THREADS_TILESCHEDULE_H

#include "BufferAccess.h"

#include "mlir/IR/Block.h"
#include "llvm/ADT/DenseMap.h"

#include <vector>

namespace npu {

/// A phase has three parts, one after the other: operations that run alone, in
/// program order; tiles' tasks, at the same time; and what is freed.
enum class Part { Alone, Task, Free };

struct ScheduledOp {
  mlir::Operation *op = nullptr;
  int64_t phase = 0;
  Part part = Part::Alone;
  /// For a task: whose it is, or TransferOp::ddr.
  int64_t tile = 0;
  /// Nothing: not known, so that everything before it has ended and nothing
  /// after it has begun.
  std::optional<llvm::SmallVector<BufferAccess>> accesses;
};

/// True for values that are made where they are wanted: views, constants, and
/// allocations. They have no place of their own in the schedule.
bool isMadeWhereWanted(mlir::Operation *op);

/// Operations with effects, in program order, each in the earliest phase that
/// what it touches allows.
///
/// Example: of `load to tile 0; load to tile 1; exp on tile 0; exp on tile 1;
/// copy tile 0 -> tile 1` the copy is in phase 1 as tile 1's, the rest in phase
/// 0, two operations in each tile's task.
std::vector<ScheduledOp> schedule(mlir::Block &block);

} // namespace npu

#endif // NPU_LIB_CONVERSION_THREADS_TILESCHEDULE_H
