// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// Pads one function by what the analysis has found.

#ifndef NPU_LIB_PREPROCESS_PADDING_PADFUNCTION_H
#define NPU_LIB_PREPROCESS_PADDING_PADFUNCTION_H

#include "npu/Analysis/Padding/PaddingAnalysis.h"
#include "npu/Preprocess/Padding/PadToMaxPromptLen.h"

namespace npu {

/// Pads `function` and returns how many masks it needed. Fails with a
/// diagnostic where a model does not build the padding that it has answered.
/// Precondition: the analysis has run on the function, and no operation has to
/// be decomposed or read by entry.
mlir::FailureOr<int64_t> padAnalyzed(mlir::func::FuncOp function,
                                     const PaddingAnalysis &analysis,
                                     const PadOptions &options);

} // namespace npu

#endif // NPU_LIB_PREPROCESS_PADDING_PADFUNCTION_H
