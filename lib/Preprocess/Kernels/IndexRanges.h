// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// How large the integers of tensors are: upstream's analysis of integer ranges,
// which knows scalars, loops and elementwise operations, carried through the
// bodies of structured operations and through operations that move entries.

#ifndef NPU_LIB_PREPROCESS_KERNELS_INDEXRANGES_H
#define NPU_LIB_PREPROCESS_KERNELS_INDEXRANGES_H

#include "mlir/Analysis/DataFlowFramework.h"
#include "mlir/IR/Operation.h"

#include <memory>

namespace npu {

/// The least and the largest of some integers.
struct IntegerBounds {
  int64_t least = 0, most = 0;
};

class IndexRanges {
public:
  /// Asks about values of `root`. Nothing is computed before the first
  /// question.
  explicit IndexRanges(mlir::Operation *root) : root(root) {}

  /// Between which numbers all entries of a tensor of integers are; nothing
  /// where they may be any of their type, or where there are none.
  /// Precondition: the values whose ranges matter have not changed since the
  /// first question.
  std::optional<IntegerBounds> of(mlir::Value tensor);

private:
  mlir::Operation *root;
  std::unique_ptr<mlir::DataFlowSolver> solver;
};

} // namespace npu

#endif // NPU_LIB_PREPROCESS_KERNELS_INDEXRANGES_H
