// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// The attributes of a program on buffers, for the passes that make such a
// program and the code that runs it.

#ifndef NPU_CONVERSION_BUFFERPROGRAM_H
#define NPU_CONVERSION_BUFFERPROGRAM_H

#include "npu/Dialect/NPU/IR/NPUDialect.h"

#include "mlir/Interfaces/FunctionInterfaces.h"

namespace npu {

/// An attribute of a function's argument that is the scratchpad of the tile
/// with this number, `memref<BYTESxi8, tile + 1>`. Arenas are the last
/// arguments, in the order of tiles.
inline constexpr llvm::StringLiteral arenaAttrName =
    NPUDialect::ArenaAttrHelper::getNameStr();

/// Whether the value is an argument that is a tile's scratchpad, into which
/// nobody looks before or after the function runs.
inline bool isArena(mlir::Value value) {
  auto argument = mlir::dyn_cast<mlir::BlockArgument>(value);
  if (!argument)
    return false;
  auto function = mlir::dyn_cast_or_null<mlir::FunctionOpInterface>(
      argument.getOwner()->getParentOp());
  return function && argument.getOwner() == &function.front() &&
         function.getArgAttr(argument.getArgNumber(), arenaAttrName);
}

/// Upstream's attribute of an argument that the function writes a result to.
inline constexpr llvm::StringLiteral resultAttrName = "bufferize.result";

/// An attribute of a scalar result of a function on buffers: its number among
/// all results, tensors included. Without the attribute, scalar results come
/// after the results that are written to arguments.
inline constexpr llvm::StringLiteral resultNumberAttrName =
    NPUDialect::ResultAttrHelper::getNameStr();

} // namespace npu

#endif // NPU_CONVERSION_BUFFERPROGRAM_H
