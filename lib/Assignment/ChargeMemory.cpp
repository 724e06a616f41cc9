// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// Rows of memory that a walk without memory exceeds become dearer, others
// cheaper.

#include "Search.h"

#include <algorithm>

namespace npu {
namespace {

/// Changes of rents, and rounds over the program after each.
constexpr int kChanges = 40, kSettle = 2;

/// After so many changes without a better bound they become smaller.
constexpr int kPatience = 3;

/// Moves the price of each row along its excess, by so much that the bound
/// would rise by `missing` if nothing else changed; false where nothing is
/// exceeded.
bool changePrices(std::vector<int64_t> &prices,
                  const std::vector<double> &excess, double missing) {
  double squares = 0;
  for (size_t r = 0; r < prices.size(); ++r)
    if (excess[r] > 0 || prices[r] > 0)
      squares += excess[r] * excess[r];
  if (squares == 0)
    return false;
  for (size_t r = 0; r < prices.size(); ++r)
    prices[r] = static_cast<int64_t>(std::clamp(
        static_cast<double>(prices[r]) + missing * excess[r] / squares, 0.0,
        static_cast<double>(MemoryRents::kMost)));
  return true;
}

} // namespace

void Search::chargeMemory(int64_t atMost) {
  if (rows.empty() || !prices.canImprove())
    return;
  std::vector<int64_t> rowPrices(rows.size(), 0);
  Prices::Split best = prices.save();
  int64_t bestBound = prices.bound();
  double step = 1;
  int worse = 0;
  isMemoryIgnored = true;
  for (int change = 0; change < kChanges && bestBound < atMost; ++change) {
    Outcome walk = run(1, kNone);
    if (walk.ways.empty())
      break;
    double missing =
        step * Prices::kScale * static_cast<double>(atMost - prices.bound());
    if (!changePrices(rowPrices, prices.rents().excess(walk.ways), missing))
      break;
    prices.setRents(rowPrices, kSettle);
    if (prices.bound() > bestBound) {
      best = prices.save();
      bestBound = prices.bound();
      worse = 0;
    } else if (++worse == kPatience) {
      step /= 2;
      worse = 0;
    }
  }
  isMemoryIgnored = false;
  prices.restore(std::move(best));
}

} // namespace npu
