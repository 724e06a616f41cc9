// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// Passes that run tiles on threads of their own. Passes.td describes them.

#ifndef NPU_CONVERSION_THREADS_PASSES_H
#define NPU_CONVERSION_THREADS_PASSES_H

#include "mlir/IR/BuiltinOps.h"
#include "mlir/Pass/Pass.h"

namespace npu {

#define GEN_PASS_DECL
#define GEN_PASS_REGISTRATION
#include "npu/Conversion/Threads/Passes.h.inc"

} // namespace npu

#endif // NPU_CONVERSION_THREADS_PASSES_H
