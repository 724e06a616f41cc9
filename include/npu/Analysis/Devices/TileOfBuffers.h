// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// The memory that an operation on buffers works in, by the memory spaces of its
// buffers: 0 is DDR, k + 1 the scratchpad of tile k. An operation runs where
// its buffers are, whatever any attribute says of it.

#ifndef NPU_ANALYSIS_DEVICES_TILEOFBUFFERS_H
#define NPU_ANALYSIS_DEVICES_TILEOFBUFFERS_H

#include "mlir/IR/Operation.h"

#include <optional>
#include <set>

namespace npu {

/// The tiles in whose scratchpads the buffers of `op` are; nothing stands for
/// DDR. Of a loop or a branch, the buffers are those that are written inside of
/// it. A call is in DDR, because what it calls has operations of its own, and
/// so is an operation on scalars alone. What the body of a structured operation
/// reads beside its operands does not count.
/// Example: a linalg.exp from memref<4xf32, 3> to memref<4xf32, 3> is on {2}.
std::set<std::optional<int64_t>> tilesOfBuffers(mlir::Operation *op);

} // namespace npu

#endif // NPU_ANALYSIS_DEVICES_TILEOFBUFFERS_H
