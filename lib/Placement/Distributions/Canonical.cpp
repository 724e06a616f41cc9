// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// The canonical form of a distribution at a shape. Fields that do not change a
// box are removed, one after the other; each removal is confirmed by placing
// the remaining distribution.

#include "npu/Placement/Distributions/Placement.h"

#include "GridRecognition.h"

#include <algorithm>
#include <utility>

namespace npu {
namespace {

class Canonicalization {
public:
  Canonicalization(const Distribution &distribution, const Extents &shape,
                   const Placement &placement)
      : d(distribution), shape(shape), placement(placement) {}

  Distribution run() {
    if (!traitsOf(d.mode).splits && isWholeOnEveryTile())
      return duplicated();
    Distribution result = d;
    if (!d.compute.empty() || !d.memory.empty())
      result = withoutBoxes();
    dropAlignments(result);
    dropWindows(result);
    normalize(result);
    return result;
  }

private:
  bool keepsPlacement(const Distribution &candidate) const {
    Result<Placement> other = place(candidate, shape);
    return other && sameMemory(*other, placement) &&
           sameCompute(*other, placement);
  }

  bool isWholeOnEveryTile() const {
    Box whole = Box::whole(shape);
    return std::all_of(placement.tiles.begin(), placement.tiles.end(),
                       [&](const TileBoxes &boxes) {
                         return boxes.compute == whole && boxes.memory == whole;
                       });
  }

  Distribution duplicated() const {
    Distribution result;
    result.mode = Mode::Duplicated;
    result.tileCount = static_cast<int64_t>(placement.tiles.size());
    return result;
  }

  /// The distribution with as few explicit boxes as possible.
  Distribution withoutBoxes() const {
    std::vector<Box> compute, memory;
    for (const TileBoxes &boxes : placement.tiles) {
      compute.push_back(boxes.compute);
      memory.push_back(boxes.memory);
    }
    // Tile counts that are written stay when they describe the boxes.
    std::vector<Distribution> forms;
    if (!d.tiles.empty()) {
      forms.push_back(d);
      forms.back().compute.clear();
      forms.back().memory.clear();
    }
    if (std::optional<Distribution> split = findSplit(shape, compute)) {
      split->mode = d.mode;
      split->windows = d.windows;
      forms.push_back(*split);
    }
    for (const Distribution &form : forms)
      if (keepsPlacement(form))
        return form;
    for (Distribution &form : forms) {
      form.windows.clear();
      form.memory = memory;
      if (keepsPlacement(form))
        return form;
    }
    Distribution result;
    result.mode = d.mode;
    result.compute = compute;
    if (memory != compute)
      result.memory = memory;
    return result;
  }

  void dropAlignments(Distribution &result) const {
    for (int64_t &align : result.align) {
      int64_t written = std::exchange(align, 1);
      if (written != 1 && !keepsPlacement(result))
        align = written;
    }
  }

  void dropWindows(Distribution &result) const {
    // Whether the window of a reader with few outputs has an effect depends on
    // the other windows, so that after each removal all are tried again.
    for (std::size_t i = 0; i < result.windows.size();) {
      Distribution without = result;
      without.windows.erase(without.windows.begin() + i);
      if (keepsPlacement(without)) {
        result = std::move(without);
        i = 0;
      } else {
        ++i;
      }
    }
  }

  const Distribution &d;
  const Extents &shape;
  const Placement &placement;
};

} // namespace

Distribution canonical(const Distribution &distribution, const Extents &shape) {
  Distribution normal = distribution;
  normalize(normal);
  Result<Placement> placement = place(normal, shape);
  if (!placement)
    return normal;
  return Canonicalization(normal, shape, *placement).run();
}

} // namespace npu
