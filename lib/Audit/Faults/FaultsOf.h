// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// Which faults an operation can have, and the operation with one of them.

#ifndef NPU_LIB_AUDIT_FAULTS_FAULTSOF_H
#define NPU_LIB_AUDIT_FAULTS_FAULTSOF_H

#include "npu/Audit/Faults/InjectFault.h"

#include "mlir/Dialect/Linalg/IR/Linalg.h"

#include <random>

namespace npu {

/// One way to spoil one operation.
struct PossibleFault {
  FaultKind kind;
  mlir::linalg::LinalgOp op;
  /// Wrong scale: nothing. Dropped row: the dimension of the result. Swapped
  /// operands: which operation of the body, or `matrixOperands`. Window and
  /// broadcast: the operand and the dimension of it.
  unsigned first = 0, second = 0;
  /// Wrong broadcast: the loop that is read instead.
  unsigned loop = 0;

  static constexpr unsigned matrixOperands = ~0u;
};

/// The ways to spoil `op`, which is on tensors and has one result.
llvm::SmallVector<PossibleFault> faultsOf(mlir::linalg::LinalgOp op);

/// Carries it out, with `dice` for numbers; returns what is wrong now.
std::string spoil(const PossibleFault &fault, std::mt19937_64 &dice);

} // namespace npu

#endif // NPU_LIB_AUDIT_FAULTS_FAULTSOF_H
