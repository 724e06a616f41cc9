// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// Layouts that somebody has chosen before an assignment is searched.

#ifndef NPU_LIB_DIALECT_NPU_TRANSFORMS_ASSIGN_PINLAYOUTS_H
#define NPU_LIB_DIALECT_NPU_TRANSFORMS_ASSIGN_PINLAYOUTS_H

#include "mlir/IR/BuiltinOps.h"
#include "mlir/Interfaces/FunctionInterfaces.h"

namespace npu {

/// Gives arguments and results of `function` the layouts of their `npu.layout`
/// attributes, which go; callers get moves. An error, with both layouts, where
/// the type has another one already.
mlir::LogicalResult pinSignature(mlir::FunctionOpInterface function,
                                 mlir::ModuleOp module);

/// Makes a move of every layout that an operation's result has by its type: the
/// operation itself gives a tensor without a layout, which is brought into the
/// chosen one, so that the operation may run in any way that gives it. Results
/// of control flow, calls and casts stay as they are.
void pinResults(mlir::FunctionOpInterface function);

} // namespace npu

#endif // NPU_LIB_DIALECT_NPU_TRANSFORMS_ASSIGN_PINLAYOUTS_H
