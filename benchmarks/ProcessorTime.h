// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception

#ifndef NPU_BENCHMARKS_PROCESSORTIME_H
#define NPU_BENCHMARKS_PROCESSORTIME_H

#include <ctime>
#include <functional>

namespace npu {

/// Seconds of processor time that `work` takes: others on the machine do not
/// count.
inline double processorSeconds(const std::function<void()> &work) {
  auto now = [] {
    timespec time{};
    clock_gettime(CLOCK_PROCESS_CPUTIME_ID, &time);
    return static_cast<double>(time.tv_sec) +
           static_cast<double>(time.tv_nsec) * 1e-9;
  };
  double start = now();
  work();
  return now() - start;
}

} // namespace npu

#endif // NPU_BENCHMARKS_PROCESSORTIME_H
