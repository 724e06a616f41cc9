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

/// The tiles in whose scratchpads buffers of `op`, or of operations inside of
/// it, are; nothing stands for DDR. An operation on scalars alone is in DDR.
/// Example: a linalg.exp from memref<4xf32, 3> to memref<4xf32, 3> is on {2}.
std::set<std::optional<int64_t>> tilesOfBuffers(mlir::Operation *op);

} // namespace npu

#endif // NPU_ANALYSIS_DEVICES_TILEOFBUFFERS_H
