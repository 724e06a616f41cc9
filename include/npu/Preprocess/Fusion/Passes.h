// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// The pass that makes one operation of several that follow each other.
// Passes.td describes it.

#ifndef NPU_PREPROCESS_FUSION_PASSES_H
#define NPU_PREPROCESS_FUSION_PASSES_H

#include "mlir/IR/BuiltinOps.h"
#include "mlir/Pass/Pass.h"

namespace npu {

#define GEN_PASS_DECL
#define GEN_PASS_REGISTRATION
#include "npu/Preprocess/Fusion/Passes.h.inc"

} // namespace npu

#endif // NPU_PREPROCESS_FUSION_PASSES_H
