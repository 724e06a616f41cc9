// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// Flags by which operations on scalars promise something of the numbers that
// they get, or allow other results than their own.

#ifndef NPU_EXTERNALMODELS_ARITH_DROPPROMISES_H
#define NPU_EXTERNALMODELS_ARITH_DROPPROMISES_H

#include "mlir/IR/Operation.h"

namespace npu {

/// Takes fast-math and overflow flags from `root` and from all operations in
/// it. With `fastmath<reassoc>`, what a sum is depends on how a compiler cuts
/// its loop; a promise about the whole (`overflow<nsw>`) need not hold of a
/// part.
void dropPromises(mlir::Operation *root);

} // namespace npu

#endif // NPU_EXTERNALMODELS_ARITH_DROPPROMISES_H
