// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception

#include "npu/Conversion/PlanScratchpad/TensorsToBuffers.h"

#include "npu/Conversion/Buffers/Passes.h"

#include "mlir/Conversion/Passes.h"
#include "mlir/Dialect/Bufferization/Transforms/OneShotAnalysis.h"
#include "mlir/Dialect/Bufferization/Transforms/Passes.h"
#include "mlir/Transforms/Passes.h"

using namespace mlir;

namespace npu {

void buildTensorsToBuffers(OpPassManager &passes,
                           const PlanScratchpadOptions &plan) {
  // Lift control flow first. In functions with several returns, upstream
  // computes each return's values into the caller's buffers, where those of
  // another return may be, and its deallocation fails on some functions of
  // several blocks.
  passes.addPass(createLiftControlFlowToSCFPass());
  passes.addPass(createInlineDynamicResults());
  passes.addPass(createSinkLoads());
  passes.addPass(createStructureOps());
  passes.addPass(createPlaceBuffers());

  bufferization::OneShotBufferizePassOptions bufferize;
  bufferize.bufferizeFunctionBoundaries = true;
  // A loop may hand on another buffer than it began with.
  bufferize.allowReturnAllocsFromLoops = true;
  bufferize.functionBoundaryTypeConversion =
      bufferization::LayoutMapOption::IdentityLayoutMap;
  passes.addPass(bufferization::createOneShotBufferizePass(bufferize));
  passes.addPass(createSeparateResults());

  bufferization::BufferResultsToOutParamsPassOptions outParams;
  outParams.hoistStaticAllocs = true;
  outParams.modifyPublicFunctions = true;
  outParams.addResultAttribute = true;
  passes.addPass(bufferization::createBufferResultsToOutParamsPass(outParams));
  // A value that was written in place is copied to itself, between two equal
  // subviews: CSE merges these, and the canonicalizer drops the copy.
  passes.addPass(createCSEPass());
  passes.addPass(createCanonicalizerPass());
  passes.addPass(createPinLoopBuffers());
  passes.addPass(createPlanScratchpad(plan));
}

} // namespace npu
