// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// Where an element of a result came from, read off a tile program.

#ifndef NPU_LIB_EXECUTION_COMPARE_FINDSOURCE_H
#define NPU_LIB_EXECUTION_COMPARE_FINDSOURCE_H

#include "mlir/Dialect/Func/IR/FuncOps.h"

#include <string>
#include <vector>

namespace npu {

/// One line for each step back from result `result` at `index` (row-major
/// coordinates): the transfer that stored it, those that brought it to that
/// tile, and the operation that computed it or what stands in its place; then
/// the first transfers that brought to the tile what it was computed from.
std::vector<std::string> findSource(mlir::func::FuncOp program, unsigned result,
                                    const std::vector<int64_t> &index);

} // namespace npu

#endif // NPU_LIB_EXECUTION_COMPARE_FINDSOURCE_H
