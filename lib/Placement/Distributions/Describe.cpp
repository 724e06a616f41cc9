// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// The shortest distribution that has given boxes. Forms are tried from the
// shortest to the longest, and a form is accepted only when placing it gives
// exactly the wanted boxes.

#include "npu/Placement/Distributions/Placement.h"

#include "../Boxes/BoxSets.h"
#include "GridRecognition.h"
#include "SplitRanges.h"

#include <algorithm>

namespace npu {
namespace {

class Description {
public:
  Description(const Extents &shape, const std::vector<Box> &memory,
              const std::vector<Box> *compute, std::span<const Window> hints)
      : shape(shape), memory(memory), compute(compute), hints(hints) {}

  Distribution run() {
    if (isWhole(memory)) {
      if (!compute || isWhole(*compute))
        return duplicated();
      if (std::optional<Distribution> split = findSplit(shape, *compute)) {
        split->mode = Mode::SegmentedDuplicated;
        return *split;
      }
      return boxes();
    }
    const std::vector<Box> &parts = compute ? *compute : memory;
    std::optional<Distribution> split = findSplit(shape, parts);
    if (split && memory == parts)
      return *split;
    if (split && compute) {
      split->mode = Mode::Overlapped;
      if (addWindows(*split))
        return *split;
      split->windows.clear();
      split->memory = memory;
      return *split;
    }
    if (!compute)
      if (std::optional<Distribution> windowed = windowedSplit())
        return *windowed;
    return boxes();
  }

private:
  bool isWhole(const std::vector<Box> &boxes) const {
    Box whole = Box::whole(shape);
    return std::all_of(boxes.begin(), boxes.end(),
                       [&](const Box &box) { return box == whole; });
  }

  Distribution duplicated() const {
    Distribution result;
    result.mode = Mode::Duplicated;
    result.tileCount = static_cast<int64_t>(memory.size());
    return result;
  }

  /// A split whose windows give the memory boxes, where compute boxes are not
  /// prescribed.
  std::optional<Distribution> windowedSplit() const {
    std::optional<Grid> grid = guessGrid(shape, memory);
    if (!grid || hints.empty())
      return std::nullopt;
    Distribution result;
    result.mode = Mode::Overlapped;
    result.tiles = grid->tiles;
    result.major = grid->major;
    result.copies = grid->copies;
    for (Split split : {Split::Balanced, Split::Ceil}) {
      result.split = split;
      if (addWindows(result))
        return result;
    }
    return std::nullopt;
  }

  /// Adds the window hints that explain the memory boxes. Dimensions are
  /// independent: along each one no hint, a single hint or all hints together
  /// have to explain the memory.
  bool addWindows(Distribution &result) const {
    std::optional<Grid> grid = guessGrid(shape, compute ? *compute : memory);
    if (!grid)
      return false;
    result.windows.clear();
    for (std::size_t dim = 0; dim < shape.size(); ++dim) {
      std::vector<Window> here;
      for (const Window &hint : hints)
        if (hint.dim == static_cast<int64_t>(dim))
          here.push_back(hint);
      std::optional<std::span<const Window>> chosen;
      if (explains(result, *grid, dim, {}))
        chosen.emplace();
      for (std::size_t i = 0; !chosen && i < here.size(); ++i)
        if (explains(result, *grid, dim, {&here[i], 1}))
          chosen.emplace(&here[i], 1);
      if (!chosen && explains(result, *grid, dim, here))
        chosen.emplace(here);
      if (!chosen)
        return false;
      result.windows.insert(result.windows.end(), chosen->begin(),
                            chosen->end());
    }
    normalize(result);
    return means(result);
  }

  bool explains(const Distribution &split, const Grid &grid, std::size_t dim,
                std::span<const Window> windows) const {
    DimensionSplit along{shape[dim], grid.tiles[dim], split.split,
                         split.align.empty() ? 1 : split.align[dim]};
    for (std::size_t tile = 0; tile < memory.size(); ++tile) {
      if (memory[tile].isEmpty())
        continue;
      if (memoryRange(along, grid.coordinate(tile, dim), windows,
                      static_cast<int64_t>(dim)) != memory[tile][dim])
        return false;
    }
    return true;
  }

  bool means(const Distribution &candidate) const {
    Result<Placement> placement = place(candidate, shape);
    if (!placement || placement->tiles.size() != memory.size())
      return false;
    for (std::size_t tile = 0; tile < memory.size(); ++tile) {
      const TileBoxes &boxes = placement->tiles[tile];
      if (!(boxes.memory == memory[tile]) ||
          (compute && !(boxes.compute == (*compute)[tile])))
        return false;
    }
    return true;
  }

  /// The distribution with explicit boxes, under a mode that allows them.
  Distribution boxes() const {
    Distribution result;
    result.compute = compute ? *compute : memory;
    std::vector<Box> distinct = distinctBoxes(result.compute);
    bool disjoint = !findOverlap(distinct);
    if (result.compute == memory) {
      result.mode = disjoint ? Mode::Segmented : Mode::Overlapped;
      return result;
    }
    result.mode = disjoint && isWhole(memory) ? Mode::SegmentedDuplicated
                                              : Mode::Overlapped;
    result.memory = memory;
    return result;
  }

  const Extents &shape;
  const std::vector<Box> &memory;
  const std::vector<Box> *compute;
  std::span<const Window> hints;
};

} // namespace

Distribution describe(const Extents &shape, const std::vector<Box> &memory,
                      const std::vector<Box> *compute,
                      std::span<const Window> windowHints) {
  return Description(shape, memory, compute, windowHints).run();
}

} // namespace npu
