// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception

#include "npu/Conversion/CanonicalizeOperations.h"

#include "mlir/Pass/Pass.h"
#include "mlir/Transforms/GreedyPatternRewriteDriver.h"
#include "mlir/Transforms/Passes.h"

using namespace mlir;

namespace npu {

std::unique_ptr<Pass> createCanonicalizeOperations() {
  GreedyRewriteConfig config;
  // The default of the pass, which is not that of the configuration.
  config.setUseTopDownTraversal(true);
  config.setRegionSimplificationLevel(GreedySimplifyRegionLevel::Disabled);
  return createCanonicalizerPass(config);
}

} // namespace npu
