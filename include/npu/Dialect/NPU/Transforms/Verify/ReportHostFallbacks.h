// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// Diagnostics about operations that fall back to the host, through DDR. The
// first pass that sees such operations reports them, once for each operation
// name and reason.

#ifndef NPU_DIALECT_NPU_TRANSFORMS_VERIFY_REPORTHOSTFALLBACKS_H
#define NPU_DIALECT_NPU_TRANSFORMS_VERIFY_REPORTHOSTFALLBACKS_H

#include "mlir/IR/Operation.h"

namespace npu {

/// What a pass says of operations that fall back to the host.
enum class HostFallbackPolicy {
  /// An error for each operation name and reason; the pass fails.
  Error,
  /// A warning for each operation name and reason, once in a context. A pass
  /// that is nested in functions says it once for each function: which of
  /// several functions comes first is up to the threads.
  Warn,
  Allow,
};

/// Reports the operations inside `root` that move bytes through DDR because
/// they fall back to the host. Fails under HostFallbackPolicy::Error where
/// there is one. Precondition: layouts fit their tensors.
llvm::LogicalResult reportHostFallbacks(mlir::Operation *root,
                                        HostFallbackPolicy policy);

/// Reports, under the same policy, the calls, loops and operations that nobody
/// understands inside `root` which work on tensors in DDR alone, with the bytes
/// of these. Precondition: the npu dialect is loaded.
llvm::LogicalResult reportHostFallbacksInDdr(mlir::Operation *root,
                                             HostFallbackPolicy policy);

} // namespace npu

#endif // NPU_DIALECT_NPU_TRANSFORMS_VERIFY_REPORTHOSTFALLBACKS_H
