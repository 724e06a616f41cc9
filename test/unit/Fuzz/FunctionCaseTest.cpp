// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// Cases run one after the other in one process. The threads of one must not end
// with it: every function with parallel tiles after the first one crashed.

#include "npu/Fuzz/FunctionCase.h"

#include <gtest/gtest.h>

namespace npu {
namespace {

TEST(FunctionCase, RunsParallelTilesMoreThanOnce) {
  int parallel = 0;
  for (uint64_t number = 0; parallel < 3; ++number) {
    // Nothing but arguments: whatever the compiler cannot do is not asked for.
    Recipe recipe = randomRecipe(1, number);
    if (!recipe.parallelTiles)
      continue;
    recipe.steps.resize(1);
    recipe.results = {0};
    CaseResult result = runFunctionCase(recipe, {});
    EXPECT_EQ(result.outcome, Outcome::Fine) << result.message;
    ++parallel;
  }
}

} // namespace
} // namespace npu
