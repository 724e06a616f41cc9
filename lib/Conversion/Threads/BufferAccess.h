// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// The memory that an operation on buffers reads and writes, as exactly as the
// views of the buffers are known.

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
  /// is not known, so that it may be any of its space.
  mlir::Value root;
  /// The part of the root, in the root's dimensions and of whole bytes; nothing
  /// where it may be the whole.
  std::optional<Box> box;
  bool writes = false;
  /// The memref.view of a root of bytes that the buffer is a part of, and that
  /// part, as above; null where there is none.
  mlir::Value view;
  std::optional<Box> boxInView;
};

using BufferAccesses = llvm::SmallVector<BufferAccess, 2>;

/// The access of a whole buffer. Constants and what one public function is
/// given or allocates share their memory with nothing else.
BufferAccess accessOf(mlir::Value buffer, bool writes);

/// All accesses of the operation and of those inside it; nothing where they are
/// not known (a call). An allocation is no access; a deallocation is a write. A
/// message (mpi.isend, mpi.irecv) accesses its buffer where it begins and where
/// it is waited for.
std::optional<BufferAccesses> accessesOf(mlir::Operation *op);

/// The buffer of the message that an operation begins or waits for; null where
/// it does neither.
mlir::Value bufferOfMessage(mlir::Operation *op);

/// Whether the two accesses may touch the same memory and at least one writes
/// it.
///
/// Example: two copies into subviews [0:4] and [4:8] of one argument do not
/// conflict; two copies that read all of it do not either.
bool conflict(const BufferAccess &a, const BufferAccess &b);

/// The same, where two parts of one view that lie apart do not touch the same
/// memory either, although both touch bytes between the first and the last of
/// the view.
bool conflictWithinViews(const BufferAccess &a, const BufferAccess &b);

/// Whether every access that conflicts with `b`, by either of the two functions
/// above, conflicts with `a` as well: who waits for `a`, which waits for `b`,
/// needs not look at `b`.
bool covers(const BufferAccess &a, const BufferAccess &b);

} // namespace npu

#endif // NPU_LIB_CONVERSION_THREADS_BUFFERACCESS_H
