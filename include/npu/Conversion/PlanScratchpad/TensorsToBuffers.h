// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// The pipeline from plain functions and tile programs on tensors to planned
// buffers. It stands beside the scratchpad plan that ends it, because the
// plan's report asks for the largest prompt that fits, and finding that
// compiles to buffers again.

#ifndef NPU_CONVERSION_PLANSCRATCHPAD_TENSORSTOBUFFERS_H
#define NPU_CONVERSION_PLANSCRATCHPAD_TENSORSTOBUFFERS_H

#include "npu/Conversion/PlanScratchpad/Passes.h"

#include "mlir/Pass/PassManager.h"

namespace npu {

/// Adds the passes from tensors to buffers. Afterwards a function has one
/// memref argument for every tensor argument, then one for every result
/// (`bufferize.result`), then one for every tile's arena (`npu.arena`); buffers
/// of tile k are in memory space k + 1, at the offsets of npu-plan-scratchpad,
/// which gets the options `plan`.
void buildTensorsToBuffers(mlir::OpPassManager &passes,
                           const PlanScratchpadOptions &plan = {});

} // namespace npu

#endif // NPU_CONVERSION_PLANSCRATCHPAD_TENSORSTOBUFFERS_H
