// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// What operations on scalars make of what is known of their operands in two
// executions.

#ifndef NPU_ANALYSIS_BODY_PAIRTRANSFER_H
#define NPU_ANALYSIS_BODY_PAIRTRANSFER_H

#include "npu/Analysis/Body/PairFact.h"

#include "mlir/Dialect/Arith/IR/Arith.h"
#include "mlir/IR/Operation.h"

namespace npu {

struct TransferOptions {
  /// Sums, products and quotients of finite numbers, and what is rounded to
  /// another type, may be too large for it.
  bool mayOverflow = true;
  /// The operation subtracts from an entry the largest of its row, in both
  /// executions.
  bool subtractsLargest = false;
};

/// What the only result of `op` is. An operation that is not known gives the
/// same on both sides if all of its operands are the same there. Operations on
/// tensors are taken entry by entry. Precondition: `op` has one result, no
/// region and no side effects.
PairFact transfer(mlir::Operation *op, llvm::ArrayRef<PairFact> operands,
                  const TransferOptions &options = {});

/// `condition` ? `ifTrue` : `ifFalse`.
PairFact selected(const PairFact &condition, const PairFact &ifTrue,
                  const PairFact &ifFalse);

} // namespace npu

#endif // NPU_ANALYSIS_BODY_PAIRTRANSFER_H
