// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// Stores of tiles into a part of a tensor in DDR, as steps of a loop make them:
//
//   %r = scf.for ... iter_args(%out = %empty) -> tensor<512x128xf32> {
//     %d = npu.redistribute %m : tensor<64x128xf32, #rows> to
//     tensor<64x128xf32> %n = tensor.insert_slice %d into %out[%i, 0] [64, 128]
//     [1, 1] : ... scf.yield %n
//   }
//
// Tiles write to that part of the tensor, and nothing is copied in DDR. Of a
// tensor that lies on tiles, steps cut the part out, write over it, and insert
// it where it was.

#ifndef NPU_ANALYSIS_CHOICES_STORESINPLACE_H
#define NPU_ANALYSIS_CHOICES_STORESINPLACE_H

#include "npu/Dialect/NPU/IR/StepMarks.h"

#include "mlir/IR/Operation.h"

namespace npu {

/// The slots of the buffers of a loop's rounds.
int64_t slotsOf(mlir::Operation *loop);

/// Whether `op` has that mark, and inserts what a redistribution stores, and
/// nobody else reads, into a tensor in DDR that nobody reads afterwards as it
/// was before.
bool storesInPlace(mlir::Operation *op);

/// Whether `op` has that mark, and inserts into a tensor on tiles the slice
/// that was cut out there before and that operations have written over since.
bool putsBackInPlace(mlir::Operation *op);

/// Whether `op` is a loop with that mark whose rounds hand on each tensor in
/// DDR as they get it, with parts that are stored in place.
bool handsOnInPlace(mlir::Operation *op);

} // namespace npu

#endif // NPU_ANALYSIS_CHOICES_STORESINPLACE_H
