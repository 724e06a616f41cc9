// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// Flags by which operations on scalars promise a property of their operands
// (`nsw`, `nnan`), or allow other results than the rounded one (`reassoc`).

#ifndef NPU_EXTERNALMODELS_ARITH_DROPPROMISES_H
#define NPU_EXTERNALMODELS_ARITH_DROPPROMISES_H

#include "mlir/IR/Operation.h"

namespace npu {

/// Removes fast-math and overflow flags from `root` and from all operations in
/// it. With `fastmath<reassoc>`, the value of a sum depends on how a compiler
/// cuts its loop; a promise about the whole sum (`overflow<nsw>`) need not hold
/// of a part.
void dropPromises(mlir::Operation *root);

} // namespace npu

#endif // NPU_EXTERNALMODELS_ARITH_DROPPROMISES_H
