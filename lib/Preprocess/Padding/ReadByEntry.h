// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception

#ifndef NPU_LIB_PREPROCESS_PADDING_READBYENTRY_H
#define NPU_LIB_PREPROCESS_PADDING_READBYENTRY_H

#include "npu/Analysis/Padding/PaddingAnalysis.h"

#include "mlir/IR/PatternMatch.h"

namespace npu {

/// Replaces the operation by a linalg.generic that computes, for each entry of
/// the result, the position that it comes from, and reads it there by
/// tensor.extract. Sizes are computed from `length`, the function's prompt
/// length. Fails with a diagnostic where the operation's model gives no entry.
mlir::LogicalResult rewriteByEntry(mlir::RewriterBase &rewriter,
                                   const EntryByEntry &each,
                                   mlir::Value length);

} // namespace npu

#endif // NPU_LIB_PREPROCESS_PADDING_READBYENTRY_H
