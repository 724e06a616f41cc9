// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// Finds where an element of a result came from, from a tile program.

#ifndef NPU_LIB_EXECUTION_COMPARE_FINDSOURCE_H
#define NPU_LIB_EXECUTION_COMPARE_FINDSOURCE_H

#include "mlir/Dialect/Func/IR/FuncOps.h"

#include <string>
#include <vector>

namespace npu {

/// One line for each step back from result `result` at `index` (row-major
/// coordinates): the transfer that stored the element, those that brought it to
/// that tile, and the operation that computed it; then the first transfers that
/// brought the operands of that operation to the tile.
std::vector<std::string> findSource(mlir::func::FuncOp program, unsigned result,
                                    const std::vector<int64_t> &index);

} // namespace npu

#endif // NPU_LIB_EXECUTION_COMPARE_FINDSOURCE_H
