// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// How much memory there is, and sums of sizes that cannot overflow: programs
// are refused before anything is allocated.

#ifndef NPU_EXECUTION_HOST_MEMORYBUDGET_H
#define NPU_EXECUTION_HOST_MEMORYBUDGET_H

#include "npu/Placement/Result.h"

#include <cstdint>

namespace npu {

/// A sum of bytes that stops at the largest number.
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
Check checkMemory(const ByteSum &needed);

} // namespace npu

#endif // NPU_EXECUTION_HOST_MEMORYBUDGET_H
