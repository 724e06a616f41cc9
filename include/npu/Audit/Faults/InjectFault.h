// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// Functions that compute something wrong on purpose, so that what finds faults
// can be tried.

#ifndef NPU_AUDIT_FAULTS_INJECTFAULT_H
#define NPU_AUDIT_FAULTS_INJECTFAULT_H

#include "npu/Placement/Result.h"

#include "mlir/Dialect/Func/IR/FuncOps.h"

#include <optional>
#include <string>

namespace npu {

enum class FaultKind {
  /// A result, or the terms of a sum, are multiplied by a number between 0.5
  /// and
  /// 2 that is not near 1.
  WrongScale,
  /// One slice of the result is what it was before: that of the output operand
  /// of an accumulation, or else 0.
  DroppedRow,
  /// The operands of a subtraction, a quotient, a power or a selection, or of a
  /// matrix product of two squares, in the other order.
  SwappedOperands,
  /// A convolution or a pooling reads one column beside; where the window
  /// leaves the tensor, 0.
  OffByOneWindow,
  /// An operand that is repeated along a loop is repeated along another.
  WrongBroadcast,
};

/// "wrong-scale", "dropped-row", "swapped-operands", "off-by-one-window",
/// "wrong-broadcast"
llvm::StringRef nameOf(FaultKind kind);

/// One fault.
struct FaultSpec {
  /// Nothing: any of those that some operation can have.
  std::optional<FaultKind> kind;
  /// Which operation: its number among the structured operations of the
  /// function in program order, from 0 ...
  std::optional<unsigned> number;
  /// ... or a place or a name in its location; empty: any.
  std::string location;
  /// What is left open is chosen by this number.
  uint64_t seed = 0;
};

/// Reads `KIND`, `KIND@NUMBER`, `KIND@FILE:LINE:COLUMN`, `KIND@NAME`, each of
/// them perhaps with `#SEED` after it, or `random:SEED`. Examples:
/// `wrong-scale`, `dropped-row@3`, `swapped-operands@model.mlir:12:8#7`.
Result<FaultSpec> parseFault(llvm::StringRef text);

/// What was changed.
struct InjectedFault {
  FaultKind kind;
  /// The operation's location, its name before, and its number.
  mlir::Location loc;
  std::string name;
  unsigned number = 0;
  /// What is wrong now: "row 3 of dimension 0 is not written".
  std::string what;
};

/// Changes one structured operation of `function`, on tensors, so that the IR
/// stays valid and the function is another one: its location and its place
/// stay, a named operation becomes general. Operations whose results nobody
/// uses are left alone. An error at the function, which stays as it is, where
/// no operation can have the fault. Says in `injected`, unless it is null,
/// what was changed.
llvm::LogicalResult injectFault(mlir::func::FuncOp function,
                                const FaultSpec &spec,
                                InjectedFault *injected = nullptr);

} // namespace npu

#endif // NPU_AUDIT_FAULTS_INJECTFAULT_H
