// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// Reduction of a failing recipe to a small one that fails.

#ifndef NPU_FUZZ_RECIPES_REDUCERECIPE_H
#define NPU_FUZZ_RECIPES_REDUCERECIPE_H

#include "npu-fuzz/Recipes/Recipe.h"

#include <functional>

namespace npu {

/// Drops steps and operands that no result needs, and renumbers the others. One
/// argument of a run-time prompt's length is always kept, as are those that are
/// to be.
void prune(Recipe &recipe);

/// Runs tiles in turn, assigns for a plainer device, returns fewer results,
/// puts arguments in place of operations, uses one value for another, takes
/// operations out of bodies, puts operands and constants in place of
/// expressions, drops layouts or parts of them, halves extents;
/// keeps each change after which the recipe is legal and `fails`. Stops when no
/// change is left, or after `mostTries` calls of `fails`.
Recipe reduceRecipe(Recipe recipe,
                    const std::function<bool(const Recipe &)> &fails,
                    unsigned mostTries = 400);

/// The number of steps that are not arguments.
std::size_t operationCount(const Recipe &recipe);

} // namespace npu

#endif // NPU_FUZZ_RECIPES_REDUCERECIPE_H
