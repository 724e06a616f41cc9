// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// Fuzzing of what regions compute: a function is padded or cut into chunks, run
// at every length and compared with the original function.

#ifndef NPU_FUZZ_BODIES_BODYCASE_H
#define NPU_FUZZ_BODIES_BODYCASE_H

#include "npu-fuzz/Bodies/BodyRecipe.h"

#include "npu-fuzz/Cases/FunctionCase.h"

#include <functional>

namespace npu {

/// Runs one case. An error by which padding or chunking refuses what it cannot
/// do is the outcome Fine, with a message; any other error is Refused.
CaseResult runBodyCase(const BodyRecipe &recipe,
                       const FunctionCaseOptions &options);

/// The function as text, and the commands that run the case again.
std::string toText(const BodyRecipe &recipe, const FunctionCaseOptions &options,
                   CaseCommands &commands);

/// Reduces a failing recipe: puts operands and constants in place of
/// expressions and arguments in place of steps, and returns fewer results, as
/// long as the recipe `fails`, in at most `mostTries` tries.
BodyRecipe reduceBodies(BodyRecipe recipe,
                        const std::function<bool(const BodyRecipe &)> &fails,
                        unsigned mostTries = 400);

/// The number of steps that are not arguments.
std::size_t operationCount(const BodyRecipe &recipe);

} // namespace npu

#endif // NPU_FUZZ_BODIES_BODYCASE_H
