// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// The exhaustive oracle of packings.

#ifndef NPU_TEST_UNIT_PLACEMENT_LEASTPEAK_H
#define NPU_TEST_UNIT_PLACEMENT_LEASTPEAK_H

#include "npu/Placement/Scratchpad/PackBuffers.h"

#include <algorithm>
#include <cstdint>
#include <vector>

namespace npu {

/// The least peak below `best` of all packings in which the first buffers are
/// at `offsets`, by trying every offset of every other buffer; `best` where
/// there is none.
inline int64_t leastPeak(const std::vector<Buffer> &buffers,
                         std::vector<int64_t> &offsets, int64_t best) {
  size_t next = offsets.size();
  int64_t peak = 0;
  for (size_t i = 0; i < next; ++i)
    peak = std::max(peak, offsets[i] + buffers[i].bytes);
  if (peak >= best)
    return best;
  if (next == buffers.size())
    return peak;
  const Buffer &buffer = buffers[next];
  for (int64_t offset = 0; offset + buffer.bytes < best;
       offset += buffer.alignment) {
    bool fits = true;
    for (size_t i = 0; i < next && fits; ++i)
      fits = buffers[i].last < buffer.first || buffer.last < buffers[i].first ||
             offsets[i] + buffers[i].bytes <= offset ||
             offset + buffer.bytes <= offsets[i];
    if (!fits)
      continue;
    offsets.push_back(offset);
    best = leastPeak(buffers, offsets, best);
    offsets.pop_back();
  }
  return best;
}

} // namespace npu

#endif // NPU_TEST_UNIT_PLACEMENT_LEASTPEAK_H
