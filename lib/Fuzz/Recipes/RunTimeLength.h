// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// A recipe whose extents follow a prompt length that is a run-time value.

#ifndef NPU_LIB_FUZZ_RECIPES_RUNTIMELENGTH_H
#define NPU_LIB_FUZZ_RECIPES_RUNTIMELENGTH_H

#include "npu/Fuzz/Recipes/Recipe.h"

namespace npu {

struct RunTimeLength {
  /// As it is at the longest prompt, without layouts.
  Recipe recipe;
  /// Entries that one more token adds to each dimension, per step.
  std::vector<Extents> growth;
  /// Every length between these is legal.
  int64_t shortest = 1, longest = 1;
};

/// Takes the layouts away (dynamic dimensions have none) and makes some
/// dimensions of equal extent the prompt; what depends on `seed` alone. Nothing
/// where none is found with which the function is legal at several lengths,
/// with extents that are linear in them.
std::optional<RunTimeLength> withRunTimeLength(const Recipe &recipe,
                                               uint64_t seed);

/// The text of `main`, with dynamic dimensions. Precondition: the context has
/// the npu dialect loaded.
std::string toText(const RunTimeLength &function, mlir::MLIRContext &context);

} // namespace npu

#endif // NPU_LIB_FUZZ_RECIPES_RUNTIMELENGTH_H
