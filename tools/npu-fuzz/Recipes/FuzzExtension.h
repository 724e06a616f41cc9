// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// Steps and dialects of a third party, for a fuzzer of its own: see fuzzMain.

#ifndef NPU_FUZZ_RECIPES_FUZZEXTENSION_H
#define NPU_FUZZ_RECIPES_FUZZEXTENSION_H

#include "npu-fuzz/Recipes/StepKind.h"

namespace mlir {
class DialectRegistry;
} // namespace mlir

namespace npu {

struct FuzzExtension {
  /// Kinds of steps; half of all steps are of these kinds, where there are any.
  std::span<const StepKind> kinds = {};
  /// Registers the dialects of these steps, and their models.
  void (*registerMore)(mlir::DialectRegistry &registry) = nullptr;
};

/// The extension of all recipes and contexts of the process. To be set before
/// the first of them is made.
FuzzExtension &fuzzExtension();

} // namespace npu

#endif // NPU_FUZZ_RECIPES_FUZZEXTENSION_H
