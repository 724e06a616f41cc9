// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// What attributes, overrides and a policy say of each operation, and whose word
// counts.

#ifndef NPU_LIB_PREPROCESS_PRECISION_DECIDE_H
#define NPU_LIB_PREPROCESS_PRECISION_DECIDE_H

#include "Overrides.h"
#include "Patterns/PrecisionPatterns.h"

#include "llvm/ADT/MapVector.h"

namespace npu {

enum class PrecisionPolicy { None, Accuracy, Performance };

/// What is asked of one operation.
struct Asked {
  /// By its attribute or an override, or else by the policy.
  Precision types;
  /// Who has asked: "its attribute", "overrides.txt:3:1", "policy=accuracy,
  /// squared distances".
  std::string who;
  /// Whether a policy asks for speed, which may cost accuracy.
  bool isForSpeed = false;
  /// The line that asks, for errors; the operation's own without one.
  std::optional<mlir::Location> line;
};

/// In program order.
using AskedOf = llvm::MapVector<mlir::Operation *, Asked>;

/// What attributes and overrides ask for in `function`. An error where two of
/// them say different types, or where the operation cannot be computed so.
mlir::FailureOr<AskedOf> askedExplicitly(mlir::func::FuncOp function,
                                         llvm::MutableArrayRef<Override> lines);

/// Adds what `policy` asks of the operations of `pattern`, where nobody else
/// has said something. An operation that cannot be computed so is left alone,
/// with a remark.
void askByPolicy(const PrecisionPattern &pattern, PrecisionPolicy policy,
                 AskedOf &asked);

} // namespace npu

#endif // NPU_LIB_PREPROCESS_PRECISION_DECIDE_H
