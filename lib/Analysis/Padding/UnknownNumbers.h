// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// Says of extents that are no expressions of the prompt's length, such as
// min(L, 4), what they are at which lengths.

#ifndef NPU_LIB_ANALYSIS_PADDING_UNKNOWNNUMBERS_H
#define NPU_LIB_ANALYSIS_PADDING_UNKNOWNNUMBERS_H

#include "mlir/IR/AffineExpr.h"
#include "mlir/IR/Diagnostics.h"
#include "mlir/IR/Operation.h"

namespace npu {

/// The expression of symbol 0, the length of the only prompt, that a value is;
/// null where it is none.
using ExprOfValue = llvm::function_ref<mlir::AffineExpr(mlir::Value)>;

/// Attaches a note to an error at `op` for the first of the sizes that it
/// lists which is computed of the length and is no expression of it: the first
/// length at which nothing is left, or up to which length it is known, which is
/// a max-prompt-len that helps. No note where there is no such size.
void noteUnknownSize(mlir::InFlightDiagnostic &error, mlir::Operation *op,
                     int64_t maxLength, ExprOfValue exprOf);

} // namespace npu

#endif // NPU_LIB_ANALYSIS_PADDING_UNKNOWNNUMBERS_H
