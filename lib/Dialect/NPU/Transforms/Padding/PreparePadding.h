// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// Rewritings that are exact with any length, after which more is understood of
// a function that is to be padded.

#ifndef NPU_LIB_DIALECT_NPU_TRANSFORMS_PADDING_PREPAREPADDING_H
#define NPU_LIB_DIALECT_NPU_TRANSFORMS_PADDING_PREPAREPADDING_H

#include "mlir/Dialect/Func/IR/FuncOps.h"
#include "mlir/IR/PatternMatch.h"

namespace npu {

/// In a module, calls in functions with a prompt, of what follows from it,
/// become what they call, wherever that is possible (inlinableCallee). Private
/// functions that nobody calls any more are erased.
void inlineCallsWithPrompt(mlir::Operation *root);

/// Extents are asked for in the function's own block, by constant dimensions:
/// of values from outside, they are the same wherever they are asked for.
void hoistDims(mlir::func::FuncOp function);

/// Replaces an operation with AggregatedOpInterface by what it is made of, or
/// says that it cannot.
mlir::LogicalResult decomposeToPad(mlir::Operation *op,
                                   mlir::RewriterBase &rewriter);

} // namespace npu

#endif // NPU_LIB_DIALECT_NPU_TRANSFORMS_PADDING_PREPAREPADDING_H
