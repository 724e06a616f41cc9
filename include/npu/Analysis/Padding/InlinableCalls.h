// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// Which calls can be replaced by the body of the function that they call.

#ifndef NPU_ANALYSIS_PADDING_INLINABLECALLS_H
#define NPU_ANALYSIS_PADDING_INLINABLECALLS_H

#include "mlir/Dialect/Func/IR/FuncOps.h"

#include <string>

namespace npu {

/// The function by whose body the call can be replaced; null where it cannot:
/// the function is a declaration, has several blocks, calls itself directly or
/// through others, or is marked not to be inlined.
mlir::func::FuncOp inlinableCallee(mlir::Operation *call);

/// Why `inlinableCallee` is null: "it calls '@f', of which there is only a
/// declaration".
std::string whyNotInlined(mlir::Operation *call);

} // namespace npu

#endif // NPU_ANALYSIS_PADDING_INLINABLECALLS_H
