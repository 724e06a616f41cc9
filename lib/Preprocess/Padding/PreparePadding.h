// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// Rewritings before padding that are exact at any prompt length, and after
// which the analysis understands more of the function.

#ifndef NPU_LIB_PREPROCESS_PADDING_PREPAREPADDING_H
#define NPU_LIB_PREPROCESS_PADDING_PREPAREPADDING_H

#include "mlir/Dialect/Func/IR/FuncOps.h"
#include "mlir/IR/PatternMatch.h"

namespace npu {

/// Inlines calls in functions with a prompt whose operands follow from the
/// prompt, where that is possible (inlinableCallee), if `root` is a module.
/// Private functions that are not called any more are erased.
void inlineCallsWithPrompt(mlir::Operation *root);

/// Moves tensor.dim operations to the function's own block, with constant
/// dimensions: the extents of values from outside of a region are the same
/// everywhere.
void hoistDims(mlir::func::FuncOp function);

/// Makes lookups, whose padding is understood, of gathers with tensors of
/// dynamic shape.
void lookUpWhatGathersTake(mlir::func::FuncOp function);

/// Replaces an operation with AggregatedOpInterface by its decomposition, or
/// fails with a diagnostic.
mlir::LogicalResult decomposeToPad(mlir::Operation *op,
                                   mlir::RewriterBase &rewriter);

} // namespace npu

#endif // NPU_LIB_PREPROCESS_PADDING_PREPAREPADDING_H
