// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// Cases that run in forked children, so that one that crashes or hangs is a
// result like another. Knows no MLIR.

#ifndef NPU_FUZZ_PLANS_ISOLATED_H
#define NPU_FUZZ_PLANS_ISOLATED_H

#include <cstdint>
#include <functional>
#include <string>

namespace npu {

enum class Outcome : uint8_t {
  Fine,
  /// The result is not what it should be.
  Different,
  /// An error where there is nothing wrong.
  Refused,
  /// Killed by a signal, ended by itself, or over the time limit.
  Crashed,
};

/// "fine", "different", ...
const char *nameOf(Outcome outcome);

struct CaseResult {
  Outcome outcome = Outcome::Fine;
  /// What is wrong: one line or several.
  std::string message;
};

struct IsolationOptions {
  /// Children at one time.
  unsigned jobs = 1;
  /// Cases that one child runs, one after the other, unless it dies before.
  uint64_t batch = 64;
  unsigned secondsPerCase = 60;
};

/// Runs `run(number)` for `count` numbers from `first` on, and calls `report`
/// here with each result, as they come in: in order when there is one job.
/// Whatever `run` prints to standard error goes into the message of a crash.
/// Example: `runIsolated(0, 10, {}, run, [](uint64_t number, CaseResult) {})`.
void runIsolated(
    uint64_t first, uint64_t count, const IsolationOptions &options,
    const std::function<CaseResult(uint64_t number)> &run,
    const std::function<void(uint64_t number, CaseResult result)> &report);

} // namespace npu

#endif // NPU_FUZZ_PLANS_ISOLATED_H
