// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// What a compiled program has really executed, as the program itself counts it:
// it calls a function of the runner beside each operation.

#ifndef NPU_EXECUTION_JIT_EXECUTIONRECORD_H
#define NPU_EXECUTION_JIT_EXECUTIONRECORD_H

#include <atomic>
#include <cstdint>
#include <deque>
#include <optional>
#include <set>
#include <string>

namespace npu {

/// A place of the program where an operation, or a part of one, is executed.
struct ExecutionSite {
  /// The row of the placement report that the operation was lowered from;
  /// nothing where it comes from no row.
  std::optional<size_t> row;
  /// The tiles whose scratchpads it works in; nothing stands for DDR, where the
  /// CPU works.
  std::set<std::optional<int64_t>> devices;
  /// The operation's name and place: "linalg.exp", "model.mlir:5:8".
  std::string name, location;
  /// How often it was executed, by whatever thread.
  std::atomic<int64_t> count = 0;
};

/// All sites of a program. Sites do not move, because compiled code refers to
/// them.
struct ExecutionRecord {
  std::deque<ExecutionSite> sites;
};

} // namespace npu

#endif // NPU_EXECUTION_JIT_EXECUTIONRECORD_H
