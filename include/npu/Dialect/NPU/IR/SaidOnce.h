// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// What is said only once, however many passes come upon it.

#ifndef NPU_DIALECT_NPU_IR_SAIDONCE_H
#define NPU_DIALECT_NPU_IR_SAIDONCE_H

#include "mlir/IR/DialectInterface.h"
#include "llvm/ADT/StringSet.h"

#include <mutex>

namespace npu {

/// Remembers, for as long as its context lives, what has been said. The npu
/// dialect has one. Several threads may ask at once.
class SaidOnce : public mlir::DialectInterface::Base<SaidOnce> {
public:
  explicit SaidOnce(mlir::Dialect *dialect) : Base(dialect) {}

  /// True when nobody has asked this of the same words before.
  bool isFirst(llvm::StringRef words) const {
    std::lock_guard<std::mutex> lock(mutex);
    return said.insert(words).second;
  }

private:
  // Interfaces are handed out as constants.
  mutable std::mutex mutex;
  mutable llvm::StringSet<> said;
};

} // namespace npu

#endif // NPU_DIALECT_NPU_IR_SAIDONCE_H
