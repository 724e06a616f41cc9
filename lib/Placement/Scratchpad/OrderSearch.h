// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// Searches for an order of buffers for first fit: several orders are tried, and
// the best is improved by placing buffers that reach the peak earlier than
// buffers below them. All orders use the same rule of placing, so that only
// orders need to be found.

#ifndef NPU_LIB_PLACEMENT_SCRATCHPAD_ORDERSEARCH_H
#define NPU_LIB_PLACEMENT_SCRATCHPAD_ORDERSEARCH_H

#include <random>

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

class OrderSearch {
public:
  /// Searches until the peak is at most `goal`.
  OrderSearch(std::span<const Buffer> buffers, int64_t goal)
      : buffers(buffers), goal(goal) {}

  /// Tries both directions of time, near-linear.
  void byTime();
  /// Tries orders of size, length and what lies beside. Precondition: few
  /// enough pairs conflict for FirstFit.
  void byOrders(FirstFit &fit);
  /// Changes the order of the best plan, over and over. Precondition: there is
  /// a plan.
  void improve(FirstFit &fit);

  /// Takes a plan if its peak is the smallest so far.
  bool keep(int64_t foundPeak, const std::vector<int64_t> &foundOffsets);
  bool done() const { return peak <= goal; }

  int64_t peak = std::numeric_limits<int64_t>::max();
  std::vector<int64_t> offsets;

private:
  template <typename Key>
  void tryLargest(FirstFit &fit, Key key);
  bool change(const FirstFit &fit, std::vector<int> &order);

  std::span<const Buffer> buffers;
  int64_t goal;
  /// The current state of the improvement.
  std::vector<int64_t> current;
  int64_t currentPeak = 0;
  /// The same numbers every time, for the same plan every time.
  // NOLINTNEXTLINE(bugprone-random-generator-seed)
  std::minstd_rand random{1};
};

} // namespace npu

#endif // NPU_LIB_PLACEMENT_SCRATCHPAD_ORDERSEARCH_H
