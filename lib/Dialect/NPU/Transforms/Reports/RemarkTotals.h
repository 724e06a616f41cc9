// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// What functions move, for whoever reads remarks.

#ifndef NPU_LIB_DIALECT_NPU_TRANSFORMS_REPORTS_REMARKTOTALS_H
#define NPU_LIB_DIALECT_NPU_TRANSFORMS_REPORTS_REMARKTOTALS_H

#include "mlir/IR/Operation.h"

namespace npu {

/// A remark for each function in `root` that has a tensor on tiles: the totals
/// of npu-print-transfers. Precondition: what moves can be planned.
void remarkTotals(mlir::Operation *root);

} // namespace npu

#endif // NPU_LIB_DIALECT_NPU_TRANSFORMS_REPORTS_REMARKTOTALS_H
