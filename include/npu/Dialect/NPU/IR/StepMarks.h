// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// The names of the attributes of operations in steps, and of the loops that
// they become.

#ifndef NPU_DIALECT_NPU_IR_STEPMARKS_H
#define NPU_DIALECT_NPU_IR_STEPMARKS_H

#include "llvm/ADT/StringRef.h"

namespace npu {

/// `npu.steps`: the steps of an operation, and the mark of loops, slices and
/// insertions that npu-run-in-steps has made of it.
inline constexpr llvm::StringLiteral stepsAttrName = "npu.steps";

/// `npu.slots` of such a loop: the slots of the buffers that tiles fill in a
/// round of it. 1 where it is absent.
inline constexpr llvm::StringLiteral slotsAttrName = "npu.slots";
/// The most slots of a buffer.
inline constexpr int64_t kMaxSlots = 8;

} // namespace npu

#endif // NPU_DIALECT_NPU_IR_STEPMARKS_H
