// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// Runs what a recipe has become beside the function that it was.

#ifndef NPU_FUZZ_CASES_RUNRECIPE_H
#define NPU_FUZZ_CASES_RUNRECIPE_H

#include "npu-fuzz/Cases/FunctionCase.h"
#include "npu-fuzz/Cases/Session.h"
#include "npu/Execution/Compare/RunAndCompare.h"

namespace npu {

/// The inputs that the recipe is legal for.
InputKind inputKindOf(const Recipe &recipe);

/// Runs `module` and `original` with `run`, whose inputs, seed and threads are
/// those of the recipe and the options. Different where any bit differs, with
/// `before` in front of what is said.
CaseResult runAgainst(const Session &session, mlir::ModuleOp module,
                      mlir::ModuleOp original, const Recipe &recipe,
                      RunOptions run, const FunctionCaseOptions &options,
                      const std::string &before = "");

/// Erases one of the transfers that move elements, chosen by the seed.
void dropOneTransfer(mlir::ModuleOp program, uint64_t seed);

} // namespace npu

#endif // NPU_FUZZ_CASES_RUNRECIPE_H
