// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// Functions of equal layers.

#ifndef NPU_FUZZ_RECIPES_REPEATLAYERS_H
#define NPU_FUZZ_RECIPES_REPEATLAYERS_H

#include "npu-fuzz/Plans/RandomPlacements.h"
#include "npu-fuzz/Recipes/Recipe.h"

namespace npu {

/// The recipe with some of its steps four to seven times, each time after the
/// last: those that make a value out of one of the same type. Arguments among
/// them are others each time. Nothing where no steps can be repeated. `facts`
/// are those of the recipe, which has no results yet.
std::optional<Recipe> repeatLayers(const Recipe &recipe,
                                   const std::vector<ValueFacts> &facts,
                                   RandomNumbers &random);

} // namespace npu

#endif // NPU_FUZZ_RECIPES_REPEATLAYERS_H
