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
  // Functions of several blocks, and of several returns: upstream computes each
  // return's values into the caller's buffers, where another one's may lie, and
  // its deallocation fails on some.
  passes.addPass(createLiftControlFlowToSCFPass());
  passes.addPass(createSinkLoads());
  passes.addPass(createStructureOps());
  passes.addPass(createPlaceBuffers());

  bufferization::OneShotBufferizePassOptions bufferize;
  bufferize.bufferizeFunctionBoundaries = true;
  // What a loop hands on need not lie where the loop began.
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
  // What was written in place is copied to itself, from one slice to another
  // that is the same: CSE sees that, and the canonicalizer drops the copy.
  passes.addPass(createCSEPass());
  passes.addPass(createCanonicalizerPass());
  passes.addPass(createPinLoopBuffers());
  passes.addPass(createPlanScratchpad(plan));
}

} // namespace npu
