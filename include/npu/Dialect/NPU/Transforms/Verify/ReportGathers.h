// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// Diagnostics about operations that are done on gathered data, through DDR. The
// first pass that sees such operations reports them, once for each operation
// name and reason.

#ifndef NPU_DIALECT_NPU_TRANSFORMS_VERIFY_REPORTGATHERS_H
#define NPU_DIALECT_NPU_TRANSFORMS_VERIFY_REPORTGATHERS_H

#include "mlir/IR/Operation.h"

namespace npu {

/// What a pass says of operations that are done on gathered data.
enum class GatherPolicy {
  /// An error for each operation name and reason; the pass fails.
  Error,
  /// A warning for each operation name and reason, once in a context. A pass
  /// that is nested in functions says it once for each function: which of
  /// several functions comes first is up to the threads.
  Warn,
  Allow,
};

/// Reports the operations inside `root` that move bytes through DDR because
/// they are done on gathered data. Fails under GatherPolicy::Error where there
/// is one. Precondition: layouts fit their tensors.
llvm::LogicalResult reportGathers(mlir::Operation *root, GatherPolicy policy);

/// Reports, under the same policy, the calls, loops and operations that nobody
/// understands inside `root` which work on tensors in DDR alone, with the bytes
/// of these. Precondition: the npu dialect is loaded.
llvm::LogicalResult reportKept(mlir::Operation *root, GatherPolicy policy);

} // namespace npu

#endif // NPU_DIALECT_NPU_TRANSFORMS_VERIFY_REPORTGATHERS_H
