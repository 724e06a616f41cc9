// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// The kinds of steps of functions of operations, by the functions that have
// them. A kind that should occur more often is listed several times.

#ifndef NPU_FUZZ_FUNCTIONS_KINDS_H
#define NPU_FUZZ_FUNCTIONS_KINDS_H

#include "npu-fuzz/Functions/FuzzExtension.h"

namespace npu {

/// Kinds that all functions have, and those of them that may add up.
std::span<const StepKind> plainKinds();
std::span<const StepKind> sumKinds();
/// Kinds that functions for prompts do not have.
std::span<const StepKind> moreKinds();
/// Kinds that only a third of the functions have.
std::span<const StepKind> rareKinds();
/// Blocks as models have them, which only functions for assignments have.
std::span<const StepKind> blockKinds();

} // namespace npu

#endif // NPU_FUZZ_FUNCTIONS_KINDS_H
