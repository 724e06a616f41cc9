// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// The buffers of a function on tiles, as plain data that npu-plan-scratchpad
// plans and reports.

#ifndef NPU_LIB_CONVERSION_PLANSCRATCHPAD_SCRATCHPADBUFFERS_H
#define NPU_LIB_CONVERSION_PLANSCRATCHPAD_SCRATCHPADBUFFERS_H

#include "npu/Placement/Scratchpad/PackBuffers.h"

#include "mlir/Dialect/Func/IR/FuncOps.h"
#include "mlir/Dialect/MemRef/IR/MemRef.h"

#include <map>

namespace npu {

/// The buffers of one tile in a function. The owner of buffer i, `owners[i]`,
/// is a memref.alloc; a memref.view of an arena, in a function that has been
/// planned; or a call, which needs space for the callee's arena.
struct TileBuffers {
  std::vector<Buffer> buffers;
  llvm::SmallVector<mlir::Operation *> owners;
  /// How many slots each buffer has: those of the loop that it is made in,
  /// where something moves between it and DDR.
  llvm::SmallVector<int64_t> slots;
  /// The operation of each step.
  llvm::SmallVector<mlir::Operation *> steps;
  /// The offsets in a function that has been planned; empty in others.
  std::vector<int64_t> offsets;
  BufferPlan plan;
};

/// The buffers of each tile, by its number.
using FunctionBuffers = std::map<int64_t, TileBuffers>;

/// The bytes of each tile's arena, by the tile's number.
using ArenaSizes = std::map<int64_t, int64_t>;

/// The tile whose memory a memref is in; nothing for DDR.
std::optional<int64_t> tileOf(mlir::Type type);

/// The arenas that a function has as arguments.
ArenaSizes arenasOf(mlir::func::FuncOp function);

/// Whether the function has been planned: an argument is marked as an arena.
bool hasArena(mlir::func::FuncOp function);

/// Collects the buffers of a function. First and last use are numbers of the
/// tile's own steps. `callee` says which arenas a call needs. An error where a
/// buffer has no static size or escapes.
mlir::FailureOr<FunctionBuffers> collectBuffers(
    mlir::func::FuncOp function,
    llvm::function_ref<const ArenaSizes *(mlir::func::CallOp)> callee);

} // namespace npu

#endif // NPU_LIB_CONVERSION_PLANSCRATCHPAD_SCRATCHPADBUFFERS_H
