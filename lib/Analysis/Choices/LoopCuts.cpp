// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception

#include "npu/Analysis/Choices/LoopCuts.h"

#include "npu/Dialect/NPU/IR/TensorPlacement.h"

#include <numeric>

using namespace mlir;

namespace npu {

int64_t multipleOfCuts(RankedTensorType type, AffineMap map,
                       llvm::function_ref<bool(unsigned loop)> isCut) {
  int64_t multiple = 1;
  if (!isPacked(type.getElementType()))
    return multiple;
  for (auto [cuts, position] :
       llvm::zip_equal(cutsBetweenBytes(type), map.getResults()))
    for (unsigned loop = 0; cuts != 1 && loop < map.getNumDims(); ++loop)
      if (isCut(loop) && position.isFunctionOfDim(loop))
        // Positions of windows may begin anywhere.
        multiple = std::lcm(multiple, isa<AffineDimExpr>(position) ? cuts : 0);
  return multiple;
}

} // namespace npu
