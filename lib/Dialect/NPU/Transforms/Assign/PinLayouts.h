// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// Layouts that somebody has chosen before an assignment is searched.

#ifndef NPU_LIB_DIALECT_NPU_TRANSFORMS_ASSIGN_PINLAYOUTS_H
#define NPU_LIB_DIALECT_NPU_TRANSFORMS_ASSIGN_PINLAYOUTS_H

#include "mlir/IR/BuiltinOps.h"
#include "mlir/Interfaces/FunctionInterfaces.h"

namespace npu {

/// Gives arguments and results of `function` the layouts of their `npu.layout`
/// attributes, which go. Operations whose types are decided elsewhere get an
/// argument as it was, by a move. An error, with both layouts, where the type
/// has another one already.
mlir::LogicalResult pinSignature(mlir::FunctionOpInterface function);

/// Brings what callers give and take under the types of the signatures, by
/// moves.
void retypeCalls(mlir::ModuleOp module);

/// Makes a move of every layout that an operation's result has by its type: the
/// operation itself gives a tensor without a layout, which is brought into the
/// chosen one, so that the operation may run in any candidate that gives it.
/// Results of control flow, calls and casts stay as they are.
void pinResults(mlir::FunctionOpInterface function);

/// Gives operations an unwritten tensor where they only write over what an
/// operation that falls back to the host makes, as a call does: that is brought
/// to tiles for those who read it.
void emptyUnreadOutputs(mlir::FunctionOpInterface function);

/// Leaves one move of each value to each type, where the value is made, so that
/// none is paid twice or in every round of a loop; and none to the type that
/// the value has, of what is made again wherever it is wanted, or that nobody
/// reads.
void joinMoves(mlir::FunctionOpInterface function);

} // namespace npu

#endif // NPU_LIB_DIALECT_NPU_TRANSFORMS_ASSIGN_PINLAYOUTS_H
