// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// Says why a function without marks is not run in chunks, as networks are that
// come from elsewhere.

#ifndef NPU_LIB_PREPROCESS_CHUNKS_UNMARKEDPREFILL_H
#define NPU_LIB_PREPROCESS_CHUNKS_UNMARKEDPREFILL_H

#include "npu/Analysis/Causality/Causality.h"

namespace npu {

/// Refuses a function in which no argument is a cache or an offset, at the
/// operation for which it needs one: a concatenation that makes a cache grow,
/// or the first one whose rows depend on others.
mlir::LogicalResult refuseUnmarked(mlir::func::FuncOp function,
                                   bool assumeFinite);

} // namespace npu

#endif // NPU_LIB_PREPROCESS_CHUNKS_UNMARKEDPREFILL_H
