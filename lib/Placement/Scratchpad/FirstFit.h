// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// Places buffers one after the other, each at the lowest offset that is free
// while it is in use. Some order gives a plan of the least peak: the order of
// the offsets of such a plan.

#ifndef NPU_LIB_PLACEMENT_SCRATCHPAD_FIRSTFIT_H
#define NPU_LIB_PLACEMENT_SCRATCHPAD_FIRSTFIT_H

#include "npu/Placement/Scratchpad/PackBuffers.h"

#include <limits>

namespace npu {

/// The number of pairs of buffers that are in use at the same time.
int64_t countConflicts(std::span<const Buffer> buffers);

/// Places buffers in the order of `first`, in time near-linear in the buffers
/// that are in use at one time; returns the peak.
int64_t placeByTime(std::span<const Buffer> buffers,
                    std::vector<int64_t> &offsets);

/// Computes once which buffers are in use at the same time, so that many orders
/// can be tried.
class FirstFit {
public:
  explicit FirstFit(std::span<const Buffer> buffers);

  /// The buffers that are in use at the same time as `buffer`.
  std::span<const int> conflicts(int buffer) const {
    return std::span(neighbours)
        .subspan(begins[buffer], begins[buffer + 1] - begins[buffer]);
  }

  /// Places all buffers in this order and returns the peak; gives up, and
  /// returns the largest number, as soon as the peak exceeds `limit`.
  int64_t place(std::span<const int> order, std::vector<int64_t> &offsets,
                int64_t limit = std::numeric_limits<int64_t>::max());

  /// The number of buffers that `place` has compared in all calls.
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
