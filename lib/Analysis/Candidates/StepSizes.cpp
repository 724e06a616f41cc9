// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception

#include "StepSizes.h"

#include "llvm/ADT/bit.h"
#include "llvm/Support/MathExtras.h"

#include <numeric>

namespace npu {
namespace {

/// Engines work on multiples of so many rows and channels.
constexpr int64_t kGranule = 16;

} // namespace

std::vector<int64_t> coarseStepSizes(const CutLoop &loop) {
  std::vector<int64_t> sizes = {loop.extent};
  for (int64_t steps = 2; steps < 2 * loop.extent;
       steps += steps < 4 ? 1 : llvm::bit_floor<uint64_t>(steps) / 2) {
    int64_t size = llvm::divideCeilSigned(loop.extent, steps);
    for (int64_t each : {kGranule * loop.tiles, kGranule})
      if (size >= each) {
        size = llvm::alignTo(size, each);
        break;
      }
    size = llvm::alignTo(size, loop.multiple);
    if (size < sizes.back())
      sizes.push_back(size);
  }
  if (sizes.back() > loop.multiple)
    sizes.push_back(loop.multiple);
  return sizes;
}

std::vector<int64_t> allStepSizes(const CutLoop &loop) {
  std::vector<int64_t> sizes = {loop.extent};
  int64_t granule = loop.extent >= kGranule ? std::lcm(kGranule, loop.multiple)
                                            : loop.multiple;
  for (int64_t steps = 2; sizes.back() > granule;) {
    int64_t size =
        llvm::alignTo(llvm::divideCeilSigned(loop.extent, steps), granule);
    // The next size that is smaller.
    if (size >= sizes.back())
      size = sizes.back() / granule * granule;
    if (size == sizes.back())
      size -= granule;
    sizes.push_back(size);
    steps = llvm::divideCeilSigned(loop.extent, size) + 1;
  }
  return sizes;
}

} // namespace npu
