// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// Whether many boxes cover a space, and whether any two of them overlap.

#include "BoxSets.h"

#include <algorithm>
#include <set>

namespace npu {

bool lexicographicLess(const Box &a, const Box &b) {
  return std::lexicographical_compare(
      a.begin(), a.end(), b.begin(), b.end(), [](Range x, Range y) {
        return std::pair(x.begin, x.end) < std::pair(y.begin, y.end);
      });
}

std::vector<Box> distinctBoxes(std::vector<Box> boxes) {
  std::erase_if(boxes, [](const Box &box) { return box.isEmpty(); });
  std::sort(boxes.begin(), boxes.end(), lexicographicLess);
  boxes.erase(std::unique(boxes.begin(), boxes.end()), boxes.end());
  return boxes;
}

std::optional<std::pair<Box, Box>> findOverlap(std::vector<Box> boxes) {
  if (boxes.empty())
    return std::nullopt;
  // Sweep along the dimension with the most distinct begins.
  std::size_t rank = boxes.front().rank(), sweep = 0, most = 0;
  for (std::size_t dim = 0; dim < rank; ++dim) {
    std::set<int64_t> begins;
    for (const Box &box : boxes)
      begins.insert(box[dim].begin);
    if (begins.size() > most) {
      most = begins.size();
      sweep = dim;
    }
  }
  if (rank > 0)
    std::sort(boxes.begin(), boxes.end(), [&](const Box &a, const Box &b) {
      return a[sweep].begin < b[sweep].begin;
    });
  for (std::size_t i = 0; i < boxes.size(); ++i)
    for (std::size_t j = i + 1; j < boxes.size(); ++j) {
      if (rank > 0 && boxes[j][sweep].begin >= boxes[i][sweep].end)
        break;
      if (overlap(boxes[i], boxes[j]))
        return std::pair(boxes[i], boxes[j]);
    }
  return std::nullopt;
}

namespace {

/// Divides a region at box borders until one box contains each part. Each part
/// drops the boxes that do not reach into it, so that a grid of n boxes takes n
/// log n steps.
class CoverSearch {
public:
  CoverSearch(std::span<const Box> boxes, int64_t budget)
      : live(boxes.size()), budget(budget) {
    for (std::size_t i = 0; i < boxes.size(); ++i)
      live[i] = &boxes[i];
  }

  std::optional<Box> run(const Box &whole) { return search(whole, 0); }
  bool gaveUp() const { return budget < 0; }

private:
  /// Finds an uncovered part of `region`. The boxes to consider are
  /// live[first...]; the stack above them is free.
  std::optional<Box> search(const Box &region, std::size_t first) {
    std::size_t begin = live.size();
    budget -= static_cast<int64_t>(begin - first) + 1;
    if (budget < 0)
      return std::nullopt;
    for (std::size_t i = first; i < begin; ++i) {
      const Box *box = live[i];
      if (box->contains(region)) {
        live.resize(begin);
        return std::nullopt;
      }
      if (overlap(*box, region))
        live.push_back(box);
    }
    if (live.size() == begin)
      return region;
    auto [dim, position] = cut(region, begin);
    Box below = region, above = region;
    below[dim].end = above[dim].begin = position;
    std::optional<Box> found = search(below, begin);
    if (!found && !gaveUp())
      found = search(above, begin);
    live.resize(begin);
    return found;
  }

  /// The dimension with the most borders inside the region, and the median of
  /// these borders.
  std::pair<std::size_t, int64_t> cut(const Box &region, std::size_t first) {
    std::size_t bestDim = 0;
    std::vector<int64_t> best, borders;
    for (std::size_t dim = 0; dim < region.rank(); ++dim) {
      borders.clear();
      for (std::size_t i = first; i < live.size(); ++i)
        for (int64_t border : {(*live[i])[dim].begin, (*live[i])[dim].end})
          if (border > region[dim].begin && border < region[dim].end)
            borders.push_back(border);
      if (borders.size() > best.size()) {
        best.swap(borders);
        bestDim = dim;
      }
    }
    auto middle = best.begin() + best.size() / 2;
    std::nth_element(best.begin(), middle, best.end());
    return {bestDim, *middle};
  }

  std::vector<const Box *> live;
  int64_t budget;
};

} // namespace

std::optional<Box> findUncovered(const Box &whole, std::span<const Box> boxes,
                                 bool &gaveUp, int64_t budget) {
  gaveUp = false;
  if (whole.isEmpty())
    return std::nullopt;
  CoverSearch search(boxes, budget);
  std::optional<Box> found = search.run(whole);
  gaveUp = search.gaveUp();
  return gaveUp ? std::nullopt : found;
}

} // namespace npu
