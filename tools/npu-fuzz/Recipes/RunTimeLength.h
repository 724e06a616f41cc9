// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// A recipe whose extents follow from a run-time prompt length.

#ifndef NPU_FUZZ_RECIPES_RUNTIMELENGTH_H
#define NPU_FUZZ_RECIPES_RUNTIMELENGTH_H

#include "npu-fuzz/Recipes/Recipe.h"

namespace npu {

struct RunTimeLength {
  /// The recipe at the longest prompt, without layouts, whose steps have
  /// extents.
  Recipe recipe;
  /// The bounds of the legal lengths; all lengths between them are legal.
  int64_t shortest = 1, longest = 1;
};

/// Removes the layouts (dynamic dimensions have none) and makes some dimensions
/// of equal extent, chosen by `seed`, the prompt. Nothing where no choice is
/// found with which the function is legal at several lengths, with extents that
/// are linear in them.
std::optional<RunTimeLength> withRunTimeLength(const Recipe &recipe,
                                               uint64_t seed);

} // namespace npu

#endif // NPU_FUZZ_RECIPES_RUNTIMELENGTH_H
