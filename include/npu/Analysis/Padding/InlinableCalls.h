// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// Which calls can be replaced by what they call.

#ifndef NPU_ANALYSIS_PADDING_INLINABLECALLS_H
#define NPU_ANALYSIS_PADDING_INLINABLECALLS_H

#include "mlir/Dialect/Func/IR/FuncOps.h"

#include <string>

namespace npu {

/// The function of which the call can be replaced by the body; null where
/// there is none: it is a declaration, has several blocks, calls itself in some
/// way, or does not want to be inlined.
mlir::func::FuncOp inlinableCallee(mlir::Operation *call);

/// Why there is none: "it calls '@f', of which there is only a declaration".
std::string whyNotInlined(mlir::Operation *call);

} // namespace npu

#endif // NPU_ANALYSIS_PADDING_INLINABLECALLS_H
