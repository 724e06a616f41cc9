// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// The words of a program on buffers, for those who make one and those who run
// it.

#ifndef NPU_CONVERSION_BUFFERPROGRAM_H
#define NPU_CONVERSION_BUFFERPROGRAM_H

#include "npu/Dialect/NPU/IR/NPUDialect.h"

namespace npu {

/// On a function's argument: it is this tile's scratchpad, `memref<BYTESxi8,
/// tile + 1>`. Arenas are the last arguments, in the order of tiles.
inline constexpr llvm::StringLiteral arenaAttrName =
    NPUDialect::ArenaAttrHelper::getNameStr();

/// On a function's argument: upstream's mark of what the function writes its
/// result to.
inline constexpr llvm::StringLiteral resultAttrName = "bufferize.result";

/// On a scalar result of a function on buffers: which of all results it is.
/// Without it, scalars come after what is written to arguments.
inline constexpr llvm::StringLiteral resultNumberAttrName =
    NPUDialect::ResultAttrHelper::getNameStr();

} // namespace npu

#endif // NPU_CONVERSION_BUFFERPROGRAM_H
