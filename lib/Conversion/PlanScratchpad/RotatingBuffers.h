// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// Where buffers lie in a tile's arena: at a constant offset, or, in a loop
// whose buffers have several slots, at one that rotates with its rounds:
//
//   %offset = affine.apply affine_map<(d0) -> (((d0 floordiv 48) mod 2) * 24576
//             + 38912)>(%round)
//   %buffer = memref.view %arena[%offset][] : ...

#ifndef NPU_LIB_CONVERSION_PLANSCRATCHPAD_ROTATINGBUFFERS_H
#define NPU_LIB_CONVERSION_PLANSCRATCHPAD_ROTATINGBUFFERS_H

#include "mlir/Dialect/MemRef/IR/MemRef.h"

namespace npu {

/// The bytes of slot k begin at `offset + k * stride`.
struct BufferPlace {
  int64_t offset = 0;
  int64_t slots = 1;
  int64_t stride = 0;

  /// The bytes from the first slot's to the last one's end, where each has so
  /// many.
  int64_t bytes(int64_t ofSlot) const { return (slots - 1) * stride + ofSlot; }
};

/// The place of a buffer of so many bytes that begins at `offset`.
BufferPlace placeOfBuffer(int64_t slots, int64_t offset, int64_t bytes);

/// The offset in its arena of a buffer that is made where the builder is: that
/// of slot k mod `slots` in round k of the loops around it.
mlir::Value offsetOf(mlir::OpBuilder &builder, mlir::Location loc,
                     const BufferPlace &place);

/// The place of a view; nothing where its offset is of another form.
std::optional<BufferPlace> placeOf(mlir::memref::ViewOp view);

} // namespace npu

#endif // NPU_LIB_CONVERSION_PLANSCRATCHPAD_ROTATINGBUFFERS_H
