// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// Reads the limits of memory from Linux.

#include "npu/Host/MemoryBudget.h"

#include <fmt/format.h>

#include <algorithm>
#include <fstream>
#include <limits>
#include <string>

#include <sys/resource.h>

namespace npu {
namespace {

constexpr int64_t unlimited = std::numeric_limits<int64_t>::max();

int64_t machineMemory() {
  std::ifstream file("/proc/meminfo");
  std::string word;
  while (file >> word)
    if (word == "MemAvailable:") {
      int64_t kibibytes = 0;
      return file >> kibibytes ? kibibytes * 1024 : unlimited;
    }
  return unlimited;
}

/// One number from a file; a file with the word "max", or none, is no limit.
int64_t numberIn(const char *path, int64_t otherwise) {
  std::ifstream file(path);
  int64_t value = 0;
  return file >> value ? value : otherwise;
}

int64_t controlGroupMemory() {
  int64_t limit = numberIn("/sys/fs/cgroup/memory.max", unlimited);
  int64_t used = numberIn("/sys/fs/cgroup/memory.current", 0);
  return limit == unlimited ? unlimited : std::max<int64_t>(limit - used, 0);
}

int64_t addressSpace() {
  rlimit limit{};
  if (getrlimit(RLIMIT_AS, &limit) != 0 || limit.rlim_cur == RLIM_INFINITY ||
      limit.rlim_cur > static_cast<rlim_t>(unlimited))
    return unlimited;
  return static_cast<int64_t>(limit.rlim_cur);
}

} // namespace

void ByteSum::add(std::optional<int64_t> bytes, int64_t times) {
  int64_t product = 0;
  if (!bytes || __builtin_mul_overflow(*bytes, times, &product) ||
      __builtin_add_overflow(sum, product, &sum))
    sum = unlimited;
}

int64_t availableMemory() {
  return std::min({machineMemory(), controlGroupMemory(), addressSpace()});
}

Result<> checkMemory(const ByteSum &needed) {
  int64_t available = availableMemory();
  if (needed.total() <= available)
    return Success();
  std::string got = needed.total() == unlimited
                        ? "more than can be counted"
                        : fmt::format("{}", needed.total());
  return Error{fmt::format("expected a program that needs at most the {} bytes "
                           "of memory that are available, got {}",
                           available, got)};
}

} // namespace npu
