// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// Cases of bodies: a function is padded or cut into chunks, run at every length
// and compared with what it was.

#ifndef NPU_FUZZ_BODIES_BODYCASE_H
#define NPU_FUZZ_BODIES_BODYCASE_H

#include "npu/Fuzz/Bodies/BodyRecipe.h"

#include "npu/Fuzz/Cases/FunctionCase.h"

#include <functional>

namespace npu {

/// Refused: an error that is none of those that padding or chunking have for
/// what they cannot do. Those are fine, with a message.
CaseResult runBodyCase(const BodyRecipe &recipe,
                       const FunctionCaseOptions &options);

/// As toText(Recipe, ...).
std::string toText(const BodyRecipe &recipe, const FunctionCaseOptions &options,
                   CaseCommands &commands);

/// Puts operands and constants in place of expressions, arguments in place of
/// steps, and returns less, as long as the recipe `fails`.
BodyRecipe reduceBodies(BodyRecipe recipe,
                        const std::function<bool(const BodyRecipe &)> &fails,
                        unsigned mostTries = 400);

/// Steps that are not arguments.
std::size_t operationCount(const BodyRecipe &recipe);

} // namespace npu

#endif // NPU_FUZZ_BODIES_BODYCASE_H
