// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// Which memory an operation on buffers reads and writes, as closely as its
// views say it.

#ifndef NPU_LIB_CONVERSION_THREADS_BUFFERACCESS_H
#define NPU_LIB_CONVERSION_THREADS_BUFFERACCESS_H

#include "npu/Placement/Boxes/Box.h"

#include "mlir/IR/Operation.h"

namespace npu {

struct BufferAccess {
  /// The memory space: tile + 1, or 0 for DDR. Buffers of two spaces never
  /// overlap.
  int64_t space = 0;
  /// The allocation or argument that the buffer is a part of; null where that
  /// is not known, and then it may be any in its space.
  mlir::Value root;
  /// The part of the root, in its dimensions; nothing: it may be all.
  std::optional<Box> box;
  bool writes = false;
};

/// Everything that the operation and those inside it touch; nothing where that
/// is not known (a call). Allocating is no access; freeing is a write.
std::optional<llvm::SmallVector<BufferAccess>> accessesOf(mlir::Operation *op);

/// True if the two may touch the same memory and at least one writes it.
///
/// Example: two copies into subviews [0:4] and [4:8] of one argument do not
/// conflict; two copies that read all of it do not either.
bool conflict(const BufferAccess &a, const BufferAccess &b);

} // namespace npu

#endif // NPU_LIB_CONVERSION_THREADS_BUFFERACCESS_H
