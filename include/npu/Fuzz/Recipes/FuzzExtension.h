// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// Steps and dialects of somebody else, for a fuzzer of one's own: see fuzzMain.

#ifndef NPU_FUZZ_RECIPES_FUZZEXTENSION_H
#define NPU_FUZZ_RECIPES_FUZZEXTENSION_H

#include "npu/Fuzz/Recipes/StepKind.h"

namespace mlir {
class DialectRegistry;
} // namespace mlir

namespace npu {

struct FuzzExtension {
  /// Half of the steps are of these kinds, where there are any.
  std::span<const StepKind> kinds = {};
  /// Registers the dialects of these steps, and their models.
  void (*registerMore)(mlir::DialectRegistry &registry) = nullptr;
};

/// What the process's recipes and contexts have beside our own. To be set
/// before the first of them is made.
FuzzExtension &fuzzExtension();

} // namespace npu

#endif // NPU_FUZZ_RECIPES_FUZZEXTENSION_H
