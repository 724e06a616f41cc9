// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// Layouts for a function by solving its assignment problem.

#ifndef NPU_LIB_DIALECT_NPU_TRANSFORMS_ASSIGN_ASSIGNLEAST_H
#define NPU_LIB_DIALECT_NPU_TRANSFORMS_ASSIGN_ASSIGNLEAST_H

#include "npu/Analysis/Ways/FunctionProblem.h"
#include "npu/Assignment/ProblemJson.h"

namespace npu {

/// What a strategy finds for a problem.
using Solve = llvm::function_ref<Result<Assignment>(const AssignmentProblem &)>;

/// Solves the problem of `function`, writes the answer into the function, and
/// adds it to `reports` unless that is null. An error where nothing fits.
mlir::LogicalResult assignFunction(mlir::FunctionOpInterface function,
                                   const Target &target,
                                   const ProblemOptions &options, Solve solve,
                                   std::vector<AssignmentReport> *reports);

} // namespace npu

#endif // NPU_LIB_DIALECT_NPU_TRANSFORMS_ASSIGN_ASSIGNLEAST_H
