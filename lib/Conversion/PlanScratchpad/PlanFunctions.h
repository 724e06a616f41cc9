// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// The plan of every function of a module.

#ifndef NPU_LIB_CONVERSION_PLANSCRATCHPAD_PLANFUNCTIONS_H
#define NPU_LIB_CONVERSION_PLANSCRATCHPAD_PLANFUNCTIONS_H

#include "ScratchpadBuffers.h"

namespace npu {

/// A function and what its tiles have.
struct PlannedFunction {
  mlir::func::FuncOp function;
  FunctionBuffers tiles;
};

/// Plans all functions with a body that can be called from outside, or are, and
/// lists them as they stand in the module; changes nothing. In a function that
/// has arenas, the plan is what its offsets say. An error where there can be no
/// plan, or where it is wrong.
mlir::LogicalResult planFunctions(mlir::ModuleOp module,
                                  std::vector<PlannedFunction> &planned);

/// The plans of functions that have arenas, and nothing else: an error where a
/// buffer lies outside its arena or two lie in one place at one time.
mlir::LogicalResult verifyPlans(mlir::ModuleOp module);

} // namespace npu

#endif // NPU_LIB_CONVERSION_PLANSCRATCHPAD_PLANFUNCTIONS_H
