// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// What a function does with its arguments, as far as generated inputs depend on
// it: which are weights, and of which a root is taken.

#ifndef NPU_EXECUTION_PREPARE_ARGUMENTROLES_H
#define NPU_EXECUTION_PREPARE_ARGUMENTROLES_H

#include "npu/Host/GenerateInputs.h"

#include "mlir/Dialect/Func/IR/FuncOps.h"

namespace npu {

/// The role of every argument. A weight is the right-hand side of a contraction
/// or the filter of a convolution, also after casts, transposes, reshapes and
/// calls; an argument that is used in both roles has both. Tile programs and
/// programs on buffers do not tell weights apart.
std::vector<InputRole> argumentRoles(mlir::func::FuncOp function);

} // namespace npu

#endif // NPU_EXECUTION_PREPARE_ARGUMENTROLES_H
