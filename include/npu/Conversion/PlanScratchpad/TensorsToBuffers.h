// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// From plain functions and tile programs on tensors to planned buffers. The
// pipeline stands beside the plan that ends it, because the plan's report asks
// which prompt is the largest that fits, and that compiles to buffers again.

#ifndef NPU_CONVERSION_PLANSCRATCHPAD_TENSORSTOBUFFERS_H
#define NPU_CONVERSION_PLANSCRATCHPAD_TENSORSTOBUFFERS_H

#include "npu/Conversion/PlanScratchpad/Passes.h"

#include "mlir/Pass/PassManager.h"

namespace npu {

/// Tensors to buffers. Afterwards a function has one memref argument for every
/// tensor argument, then one for every result (`bufferize.result`), then one
/// for every tile's arena (`npu.arena`); buffers of tile k are in memory space
/// k + 1, at the offsets of npu-plan-scratchpad, which gets the options.
void buildTensorsToBuffers(mlir::OpPassManager &passes,
                           const PlanScratchpadOptions &plan = {});

} // namespace npu

#endif // NPU_CONVERSION_PLANSCRATCHPAD_TENSORSTOBUFFERS_H
