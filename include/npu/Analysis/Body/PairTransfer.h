// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// The transfer function of operations on scalars: from the facts (PairFact.h)
// of the operands to the fact of the result.

#ifndef NPU_ANALYSIS_BODY_PAIRTRANSFER_H
#define NPU_ANALYSIS_BODY_PAIRTRANSFER_H

#include "npu/Analysis/Body/PairFact.h"

#include "mlir/Dialect/Arith/IR/Arith.h"
#include "mlir/IR/Operation.h"

namespace npu {

struct TransferOptions {
  /// Sums, products and quotients of finite numbers, and numbers that are
  /// rounded to another type, may be too large for the type and become
  /// infinities.
  bool mayOverflow = true;
  /// The operation subtracts the largest entry of a row from an entry of that
  /// row, in both executions.
  bool subtractsLargest = false;
};

/// The fact of the only result of `op`. An operation that is not known gives
/// the same bits on both sides if all of its operands are the same there.
/// Operations on tensors are taken entry by entry. Precondition: `op` has one
/// result, no region and no side effects.
PairFact transfer(mlir::Operation *op, llvm::ArrayRef<PairFact> operands,
                  const TransferOptions &options = {});

/// The fact of `condition ? ifTrue : ifFalse`.
PairFact selected(const PairFact &condition, const PairFact &ifTrue,
                  const PairFact &ifFalse);

} // namespace npu

#endif // NPU_ANALYSIS_BODY_PAIRTRANSFER_H
