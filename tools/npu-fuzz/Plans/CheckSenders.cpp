// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// Computes bounds of a redistribution from its elements: the least possible
// busiest sender, and the least number of pieces that joining in pairs finds.

#include "npu-fuzz/Plans/CheckPlan.h"
#include "npu-fuzz/Plans/Holders.h"

#include <algorithm>
#include <bit>

namespace npu {
namespace {

/// The elements that a redistribution has to move: those that some tile misses,
/// classified by the tiles that hold them and those that miss them.
struct MissingClass {
  /// Sets of tiles: bit t is set for tile t.
  uint64_t holders = 0;
  uint64_t missing = 0;
  std::vector<Box> elements;
  Box hull;
};

std::vector<MissingClass> missingClasses(const Placement &source,
                                         const Placement &target) {
  std::vector<MissingClass> classes;
  Holders before = holdersOf(source), after = holdersOf(target);
  const Extents &shape = source.shape;
  std::size_t last = 0;
  for (std::size_t i = 0; i < before.size(); ++i) {
    uint64_t missing = after[i] & ~before[i];
    if (missing == 0)
      continue;
    Box element(shape.size());
    auto rest = static_cast<int64_t>(i);
    for (std::size_t dim = shape.size(); dim-- > 0; rest /= shape[dim])
      element[dim] = {rest % shape[dim], rest % shape[dim] + 1};
    auto isClass = [&](const MissingClass &entry) {
      return entry.holders == before[i] && entry.missing == missing;
    };
    // Adjacent elements are mostly of the same class.
    if (last >= classes.size() || !isClass(classes[last])) {
      last = std::find_if(classes.begin(), classes.end(), isClass) -
             classes.begin();
      if (last == classes.size())
        classes.push_back({before[i], missing, {}, element});
    }
    classes[last].elements.push_back(element);
    classes[last].hull = hull(classes[last].hull, element);
  }
  return classes;
}

} // namespace

std::optional<int64_t> leastBusiestSender(const Placement &source,
                                          const Placement &target) {
  constexpr std::size_t kMaxTilesTried = 12;
  std::size_t tiles = source.tiles.size();
  if (tiles > kMaxTilesTried)
    return std::nullopt;
  // Count elements whose holders are exactly each set; then, those whose
  // holders are inside of it.
  std::vector<int64_t> only(std::size_t{1} << tiles);
  for (const MissingClass &entry : missingClasses(source, target))
    only[entry.holders] += static_cast<int64_t>(entry.elements.size());
  for (std::size_t tile = 0; tile < tiles; ++tile)
    for (std::size_t set = 0; set < only.size(); ++set)
      if (set >> tile & 1)
        only[set] += only[set ^ (std::size_t{1} << tile)];
  int64_t most = 0;
  for (std::size_t set = 1; set < only.size(); ++set) {
    int64_t size = std::popcount(set);
    most = std::max(most, (only[set] + size - 1) / size);
  }
  return most;
}

int64_t largestSlice(const Placement &source, const Placement &target,
                     const Extents &multiples) {
  // No box of a class has a larger smallest slice than the hull of the class.
  int64_t most = 1;
  for (const MissingClass &entry : missingClasses(source, target)) {
    int64_t volume = entry.hull.volume(), smallest = volume;
    for (std::size_t dim = 0; dim < entry.hull.rank(); ++dim) {
      int64_t multiple = multiples.empty() ? 1 : multiples[dim];
      if (multiple != 0)
        smallest =
            std::min(smallest, volume / entry.hull[dim].extent() * multiple);
    }
    most = std::max(most, smallest);
  }
  return most;
}

static bool joinTwo(std::vector<Box> &boxes) {
  for (std::size_t i = 0; i < boxes.size(); ++i)
    for (std::size_t k = i + 1; k < boxes.size(); ++k)
      if (std::optional<Box> both = joined(boxes[i], boxes[k])) {
        boxes[i] = *both;
        boxes.erase(boxes.begin() + static_cast<std::ptrdiff_t>(k));
        return true;
      }
  return false;
}

std::size_t countPieces(const Placement &source, const Placement &target) {
  std::size_t count = 0;
  for (MissingClass &entry : missingClasses(source, target)) {
    while (joinTwo(entry.elements))
      ;
    count += entry.elements.size();
  }
  return count;
}

} // namespace npu
