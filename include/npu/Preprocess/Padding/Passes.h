// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// Passes that pad prompts of any length to tensors of one length. Passes.td
// describes them.

#ifndef NPU_PREPROCESS_PADDING_PASSES_H
#define NPU_PREPROCESS_PADDING_PASSES_H

#include "mlir/IR/BuiltinOps.h"
#include "mlir/Pass/Pass.h"

namespace npu {

#define GEN_PASS_DECL
#define GEN_PASS_REGISTRATION
#include "npu/Preprocess/Padding/Passes.h.inc"

} // namespace npu

#endif // NPU_PREPROCESS_PADDING_PASSES_H
