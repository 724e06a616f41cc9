// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception

#ifndef NPU_INTERFACES_PROMPT_H
#define NPU_INTERFACES_PROMPT_H

#include "llvm/ADT/SmallVector.h"

#include <cstdint>
#include <optional>

namespace npu {

enum class PaddingSide { Right, Left };

/// The prompt of a function.
struct Prompt {
  /// The length where it is known; nothing where it is a run-time value.
  std::optional<int64_t> length;
  int64_t maxLength = 0;
  PaddingSide side = PaddingSide::Right;
  /// The prompt dimensions of each argument.
  llvm::SmallVector<llvm::SmallVector<int64_t, 2>> dims;
};

} // namespace npu

#endif // NPU_INTERFACES_PROMPT_H
