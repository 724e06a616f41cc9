// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// Plans the scratchpads of every function of a module.

#ifndef NPU_LIB_CONVERSION_PLANSCRATCHPAD_PLANFUNCTIONS_H
#define NPU_LIB_CONVERSION_PLANSCRATCHPAD_PLANFUNCTIONS_H

#include "ScratchpadBuffers.h"

namespace npu {

/// A function and the buffers of its tiles.
struct PlannedFunction {
  mlir::func::FuncOp function;
  FunctionBuffers tiles;
};

/// Plans all functions with a body that can be called from outside, or are
/// called, and lists them in the module's order; changes no IR. In a function
/// that has arenas, the plan is given by its offsets. An error where a plan is
/// not possible or, where it is given, wrong. With the bytes of a tile's
/// scratchpad as `capacity`, functions with loops of steps that nothing calls
/// use all of it where the plan fits: their buffers are spread, so that loads
/// run ahead.
mlir::LogicalResult
planFunctions(mlir::ModuleOp module, std::vector<PlannedFunction> &planned,
              std::optional<int64_t> capacity = std::nullopt);

/// Verifies the plans of functions that have arenas: an error where a buffer
/// lies outside its arena or two lie in one place at one time.
mlir::LogicalResult verifyScratchpadPlans(mlir::ModuleOp module);

} // namespace npu

#endif // NPU_LIB_CONVERSION_PLANSCRATCHPAD_PLANFUNCTIONS_H
