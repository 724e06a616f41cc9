// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// Passes on the way from tensors to buffers that upstream does not have.
// Passes.td describes them.

#ifndef NPU_CONVERSION_BUFFERS_PASSES_H
#define NPU_CONVERSION_BUFFERS_PASSES_H

#include "mlir/IR/BuiltinOps.h"
#include "mlir/Pass/Pass.h"

namespace npu {

#define GEN_PASS_DECL
#define GEN_PASS_REGISTRATION
#include "npu/Conversion/Buffers/Passes.h.inc"

} // namespace npu

#endif // NPU_CONVERSION_BUFFERS_PASSES_H
