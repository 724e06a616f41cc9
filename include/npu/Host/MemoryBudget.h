// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// The memory that is available, and sums of sizes that cannot overflow.
// Programs that need more memory are refused before anything is allocated.

#ifndef NPU_HOST_MEMORYBUDGET_H
#define NPU_HOST_MEMORYBUDGET_H

#include "npu/Placement/Result.h"

#include <cstdint>

namespace npu {

/// A sum of bytes that saturates at the largest int64_t, which an absent number
/// of bytes also adds.
class ByteSum {
public:
  void add(std::optional<int64_t> bytes, int64_t times = 1);
  int64_t total() const { return sum; }

private:
  int64_t sum = 0;
};

/// Bytes that this process may still use: the machine's, the control group's
/// and the process's own limits.
int64_t availableMemory();

/// Nothing wrong, or "expected at most N bytes ..., got M".
Result<> checkMemory(const ByteSum &needed);

} // namespace npu

#endif // NPU_HOST_MEMORYBUDGET_H
