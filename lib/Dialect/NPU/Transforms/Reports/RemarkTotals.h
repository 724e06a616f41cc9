// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// The totals of what functions move, as remarks.

#ifndef NPU_LIB_DIALECT_NPU_TRANSFORMS_REPORTS_REMARKTOTALS_H
#define NPU_LIB_DIALECT_NPU_TRANSFORMS_REPORTS_REMARKTOTALS_H

#include "mlir/IR/Operation.h"

namespace npu {

/// Remarks the totals of npu-print-transfers for each function in `root` that
/// has a tensor on tiles. Precondition: all moves can be planned.
void remarkTotals(mlir::Operation *root);

} // namespace npu

#endif // NPU_LIB_DIALECT_NPU_TRANSFORMS_REPORTS_REMARKTOTALS_H
