// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// Runs cases in forked children, so that a crash or a hang is an outcome like
// any other. This file does not depend on MLIR.

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
  /// The case is correct, and an error was given.
  Refused,
  /// The child was killed by a signal, exited, or exceeded the time limit.
  Crashed,
};

/// "fine", "different", ...
const char *nameOf(Outcome outcome);

struct CaseResult {
  Outcome outcome = Outcome::Fine;
  /// A description of what is wrong, of one or several lines.
  std::string message;
  /// Where the case ended, for comparisons: "parsing", "the report", ...; empty
  /// where nothing depends on it.
  std::string step = {};
};

struct IsolationOptions {
  /// The number of children that run at the same time.
  unsigned jobs = 1;
  /// The number of cases that one child runs, one after the other, unless it
  /// dies before.
  uint64_t batch = 16;
  unsigned secondsPerCase = 60;
};

/// Runs `run(number)` in children for `count` numbers from `first` on, and
/// calls `report` in this process with each result when its child has ended: in
/// order, but for cases after one that crashed. `report` may call this, too.
/// What `run` prints to standard error becomes part of
/// the message of a crash. Example: `runIsolated(0, 10, {}, run, [](uint64_t
/// number, CaseResult) {})`.
void runIsolated(
    uint64_t first, uint64_t count, const IsolationOptions &options,
    const std::function<CaseResult(uint64_t number)> &run,
    const std::function<void(uint64_t number, CaseResult result)> &report);

} // namespace npu

#endif // NPU_FUZZ_PLANS_ISOLATED_H
