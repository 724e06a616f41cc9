// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception

#include "StepSlice.h"

#include "npu/Target/Count.h"

using namespace mlir;

namespace npu {

StepSlice StepSlice::of(const StepGroup &group, StepUse use) {
  AffineMap map = group.mapOf(use);
  StepSlice slice;
  slice.use = use;
  slice.strides = group.stridesOf(use);
  for (size_t loop = 0; loop < group.last().extents.size(); ++loop)
    slice.changes.push_back(group.members()[use.member].changesWith(
        map, static_cast<int64_t>(loop)));
  slice.bits =
      elementBits(getElementTypeOrSelf(group.operandOf(use).get().getType()))
          .value_or(64);
  return slice;
}

int64_t StepSlice::bytes(const StepGroup &group, ArrayRef<int64_t> last) const {
  SmallVector<int64_t> iterations =
      group.members()[use.member].iterations(last);
  Count size{bits};
  for (ArrayRef<int64_t> each : strides) {
    int64_t extent = 1;
    for (auto [stride, count] : llvm::zip_equal(each, iterations))
      extent += stride * (count - 1);
    size *= Count{extent};
  }
  return dividedUp(size, 8).value;
}

} // namespace npu
