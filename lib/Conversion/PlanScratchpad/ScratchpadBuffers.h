// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// A function's buffers on tiles, as plain data: what npu-plan-scratchpad plans
// and reports.

#ifndef NPU_LIB_CONVERSION_PLANSCRATCHPAD_SCRATCHPADBUFFERS_H
#define NPU_LIB_CONVERSION_PLANSCRATCHPAD_SCRATCHPADBUFFERS_H

#include "npu/Placement/Scratchpad/PackBuffers.h"

#include "mlir/Dialect/Func/IR/FuncOps.h"
#include "mlir/Dialect/MemRef/IR/MemRef.h"

#include <map>

namespace npu {

/// What one tile has in a function. Buffers and their owners are parallel: a
/// memref.alloc; a memref.view of an arena, in a function that has been
/// planned; or a call, which needs room for the callee's arena.
struct TileBuffers {
  std::vector<Buffer> buffers;
  llvm::SmallVector<mlir::Operation *> owners;
  /// The operation of every step.
  llvm::SmallVector<mlir::Operation *> steps;
  /// What a planned function says; empty otherwise.
  std::vector<int64_t> offsets;
  BufferPlan plan;
};

/// By tile.
using FunctionBuffers = std::map<int64_t, TileBuffers>;

/// Bytes of every tile's arena, by tile.
using ArenaSizes = std::map<int64_t, int64_t>;

/// Whose memory a memref is in, nothing for DDR.
std::optional<int64_t> tileOf(mlir::Type type);

/// The arenas that a function has as arguments.
ArenaSizes arenasOf(mlir::func::FuncOp function);

/// Whether the function has been planned: an argument is marked as an arena.
bool hasArena(mlir::func::FuncOp function);

/// The buffers, first and last use as numbers of the tile's own steps. `callee`
/// says what arenas a call needs. An error where a buffer has no static size or
/// lives longer than can be seen.
mlir::FailureOr<FunctionBuffers> collectBuffers(
    mlir::func::FuncOp function,
    llvm::function_ref<const ArenaSizes *(mlir::func::CallOp)> callee);

} // namespace npu

#endif // NPU_LIB_CONVERSION_PLANSCRATCHPAD_SCRATCHPADBUFFERS_H
