// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// Warnings that are given only once, however many passes find their cause.

#ifndef NPU_DIALECT_NPU_IR_REPORTEDONCE_H
#define NPU_DIALECT_NPU_IR_REPORTEDONCE_H

#include "mlir/IR/DialectInterface.h"
#include "llvm/ADT/StringSet.h"

#include <mutex>

namespace npu {

/// Remembers the texts that were reported, for as long as the context lives.
/// The npu dialect has one such object. Several threads may use it at once.
class ReportedOnce : public mlir::DialectInterface::Base<ReportedOnce> {
public:
  explicit ReportedOnce(mlir::Dialect *dialect) : Base(dialect) {}

  /// Whether this is the first call with this text.
  bool isFirst(llvm::StringRef words) const {
    std::lock_guard<std::mutex> lock(mutex);
    return said.insert(words).second;
  }

private:
  // The context gives dialect interfaces out as constants.
  mutable std::mutex mutex;
  mutable llvm::StringSet<> said;
};

} // namespace npu

#endif // NPU_DIALECT_NPU_IR_REPORTEDONCE_H
