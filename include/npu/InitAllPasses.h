// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// Every pass and pipeline of the project, for tools that take them by name.

#ifndef NPU_INITALLPASSES_H
#define NPU_INITALLPASSES_H

#include "npu/Audit/TrackErrors/Passes.h"
#include "npu/Conversion/Buffers/Passes.h"
#include "npu/Conversion/Compile/Passes.h"
#include "npu/Conversion/Compile/Pipeline.h"
#include "npu/Conversion/LowerToTiles/Passes.h"
#include "npu/Conversion/PlanScratchpad/Lowering.h"
#include "npu/Conversion/PlanScratchpad/Passes.h"
#include "npu/Conversion/Ranks/Passes.h"
#include "npu/Conversion/Schedule/Passes.h"
#include "npu/Conversion/StripLayouts/Passes.h"
#include "npu/Conversion/Threads/Passes.h"
#include "npu/Conversion/ToLLVM/Passes.h"
#include "npu/Conversion/Tosa/Passes.h"
#include "npu/Dialect/NPU/Transforms/Assign/Passes.h"
#include "npu/Dialect/NPU/Transforms/Legalize/Passes.h"
#include "npu/Dialect/NPU/Transforms/Reports/Passes.h"
#include "npu/Dialect/NPU/Transforms/Steps/Passes.h"
#include "npu/Dialect/NPU/Transforms/Verify/Passes.h"
#include "npu/Preprocess/Chunks/Passes.h"
#include "npu/Preprocess/Exports/Passes.h"
#include "npu/Preprocess/Fusion/Passes.h"
#include "npu/Preprocess/Kernels/Passes.h"
#include "npu/Preprocess/Padding/Passes.h"
#include "npu/Preprocess/Precision/Passes.h"

namespace npu {

inline void registerAllPasses() {
  registerNPUExportsPasses();
  registerNPUAssignPasses();
  registerNPUStepsPasses();
  registerNPUVerifyPasses();
  registerNPULegalizePasses();
  registerNPUPaddingPasses();
  registerNPUChunksPasses();
  registerNPUPrecisionPasses();
  registerNPUFusionPasses();
  registerNPUKernelsPasses();
  registerNPUReportsPasses();
  registerNPULowerToTilesPasses();
  registerNPUStripLayoutsPasses();
  registerNPUTosaPasses();
  registerNPUBuffersPasses();
  registerNPUPlanScratchpadPasses();
  registerNPURanksPasses();
  registerNPUSchedulePasses();
  registerNPUThreadsPasses();
  registerNPUToLLVMPasses();
  registerNPUTrackErrorsPasses();
  registerNPUCompilePasses();
  registerLoweringPipelines();
  registerCompilePipeline();
}

} // namespace npu

#endif // NPU_INITALLPASSES_H
