// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// Edits of tile programs after which a tile has less than it computes with, and
// which are whole in themselves: every type fits.

#ifndef NPU_FUZZ_CASES_LOADLESS_H
#define NPU_FUZZ_CASES_LOADLESS_H

#include "npu-fuzz/Plans/RandomPlacements.h"

#include "mlir/IR/Operation.h"

namespace npu {

/// Makes a tile run fewer iterations of a loop that it reduces: every operand
/// that the loop reads as it is gets one entry less, from its load on, or where
/// nobody has written it (the window of a pooling). Returns false, and leaves
/// the program as it was, where one of them is made in another way.
///
/// Example: a tile that loads [0:4, 0:6] of a tensor and adds up its columns
/// loads [0:4, 0:5] and adds up five.
bool reduceLess(mlir::Operation *op, RandomNumbers &random);

/// Takes a load of a tile out and says instead that what it would have brought,
/// or more or less than that, is padding (`npu.padding`). Returns false where
/// `op` is no load into a tensor of its own.
bool callPadding(mlir::Operation *op, RandomNumbers &random);

} // namespace npu

#endif // NPU_FUZZ_CASES_LOADLESS_H
