// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// Why candidates cannot be chosen together, in words.

#ifndef NPU_LIB_ASSIGNMENT_FORBIDDEN_H
#define NPU_LIB_ASSIGNMENT_FORBIDDEN_H

#include "npu/Assignment/Problem.h"

namespace npu {

/// The value was made in layout `from`, and no move leads to `layout`.
std::string noMove(ValueLayout layout, int from);

/// The scratchpad of a tile is too small for what it should hold.
std::string tooManyBytes(const CapacityRow &row, int64_t bytes);

} // namespace npu

#endif // NPU_LIB_ASSIGNMENT_FORBIDDEN_H
