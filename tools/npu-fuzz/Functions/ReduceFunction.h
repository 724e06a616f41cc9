// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// Reduction of a failing function to a small one that fails.

#ifndef NPU_FUZZ_FUNCTIONS_REDUCEFUNCTION_H
#define NPU_FUZZ_FUNCTIONS_REDUCEFUNCTION_H

#include "npu-fuzz/Functions/MadeFunction.h"

#include <functional>

namespace npu {

/// Runs tiles in turn, assigns for a plainer device, shortens the prompt,
/// returns fewer results, puts arguments, operands and other values in place of
/// operations, also in regions, drops layouts or parts of them, halves extents;
/// keeps each change after which the function verifies and `fails`. Stops when
/// no change is left, or after `mostTries` calls of `fails`.
MadeFunction
reduceFunction(MadeFunction function,
               const std::function<bool(const MadeFunction &)> &fails,
               unsigned mostTries = 400);

/// The number of operations of its functions that compute or move something.
std::size_t operationCount(const MadeFunction &function);

} // namespace npu

#endif // NPU_FUZZ_FUNCTIONS_REDUCEFUNCTION_H
