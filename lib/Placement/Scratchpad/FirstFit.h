// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// Buffers placed one after the other, each at the lowest offset that is free
// while it lives. Some order gives a plan of the least peak: the order of that
// plan's own offsets.

#ifndef NPU_LIB_PLACEMENT_SCRATCHPAD_FIRSTFIT_H
#define NPU_LIB_PLACEMENT_SCRATCHPAD_FIRSTFIT_H

#include "npu/Placement/Scratchpad/PackBuffers.h"

#include <limits>

namespace npu {

/// How many pairs of buffers live at the same time.
int64_t countConflicts(std::span<const Buffer> buffers);

/// Offsets in the order of `first`, in time near-linear in what is alive at one
/// time; returns the peak.
int64_t placeByTime(std::span<const Buffer> buffers,
                    std::vector<int64_t> &offsets);

/// Knows who conflicts with whom, so that many orders can be tried.
class FirstFit {
public:
  explicit FirstFit(std::span<const Buffer> buffers);

  /// Buffers that live while this one does.
  std::span<const int> conflicts(int buffer) const {
    return std::span(neighbours)
        .subspan(begins[buffer], begins[buffer + 1] - begins[buffer]);
  }

  /// Places all; gives up, with the largest number as its answer, as soon as
  /// the peak is beyond `limit`.
  int64_t place(std::span<const int> order, std::vector<int64_t> &offsets,
                int64_t limit = std::numeric_limits<int64_t>::max());

  /// Buffers looked at since the beginning.
  int64_t work() const { return steps; }

private:
  std::span<const Buffer> buffers;
  std::vector<int> neighbours;
  std::vector<size_t> begins;
  std::vector<std::pair<int64_t, int64_t>> taken;
  int64_t steps = 0;
};

} // namespace npu

#endif // NPU_LIB_PLACEMENT_SCRATCHPAD_FIRSTFIT_H
