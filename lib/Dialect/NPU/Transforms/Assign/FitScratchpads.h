// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// Assigns layouts to all functions of a module so that their programs fit the
// scratchpads.

#ifndef NPU_LIB_DIALECT_NPU_TRANSFORMS_ASSIGN_FITSCRATCHPADS_H
#define NPU_LIB_DIALECT_NPU_TRANSFORMS_ASSIGN_FITSCRATCHPADS_H

#include "AssignFunction.h"
#include "AssignOptions.h"

#include <deque>

namespace npu {

/// Solves the problems of these functions of `module`, callees first. The
/// solutions are in the order of `functions`.
///
/// Capacity rows count a layout for as long as some reader may need it and do
/// not know what lowering adds, so that they are an estimate. Where memory may
/// be short, a solution is therefore lowered to planned buffers in a copy of
/// the module, and is accepted where these fit. Where the solution within the
/// device's scratchpads does not fit, or there is none, the solutions for all
/// larger and smaller scratchpads are tried in turn, the cheapest first. They
/// do not depend on the device, so that a larger scratchpad never refuses what
/// a smaller one accepts. Last come the solutions that load values which are in
/// DDR from the beginning once for each of several readers
/// (ProblemOptions::loadsAgain).
///
/// Errors: at the operation that is too large by itself, with its bytes; or
/// that no solution fits, with the least bytes that one of them takes.
mlir::FailureOr<std::deque<SolvedFunction>>
assignFunctions(mlir::ModuleOp module,
                llvm::ArrayRef<mlir::FunctionOpInterface> functions,
                const AssignSettings &settings);

} // namespace npu

#endif // NPU_LIB_DIALECT_NPU_TRANSFORMS_ASSIGN_FITSCRATCHPADS_H
