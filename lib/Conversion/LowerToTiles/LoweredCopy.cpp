// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception

#include "LoweredCopy.h"

#include "npu/Conversion/Phases.h"

#include "mlir/Pass/PassManager.h"

using namespace mlir;

namespace npu {

FailureOr<OwningOpRef<ModuleOp>> loweredCopyOf(ModuleOp module,
                                               HostFallbackPolicy gather) {
  OwningOpRef<ModuleOp> lowered;
  if (phaseOf(module) != CompilePhase::Legal)
    return lowered;
  lowered = module.clone();
  PassManager passes(module.getContext());
  passes.addPass(createLowerToTiles({gather}));
  if (failed(passes.run(*lowered)))
    return failure();
  return lowered;
}

} // namespace npu
