// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// Properties of a distribution that do not depend on a shape: its number of
// tiles, its normal form and its image under a permute_cast.

#include "npu/Placement/Distributions/Distribution.h"

#include <algorithm>

namespace npu {

int64_t tileCount(const Distribution &distribution) {
  if (!distribution.compute.empty())
    return static_cast<int64_t>(distribution.compute.size());
  if (!distribution.memory.empty())
    return static_cast<int64_t>(distribution.memory.size());
  std::optional<int64_t> count =
      distribution.tiles.empty() ? distribution.tileCount
                                 : checkedProduct(distribution.tiles.span());
  int64_t total = 0;
  if (!count || __builtin_mul_overflow(*count, distribution.copies, &total))
    return 0;
  return total > 0 && total <= kMaxTiles ? total : 0;
}

void normalize(Distribution &distribution) {
  if (std::all_of(distribution.align.begin(), distribution.align.end(),
                  [](int64_t align) { return align == 1; }))
    distribution.align.clear();
  if (std::is_sorted(distribution.major.begin(), distribution.major.end()))
    distribution.major.clear();
  std::vector<Window> &windows = distribution.windows;
  std::sort(windows.begin(), windows.end());
  windows.erase(std::unique(windows.begin(), windows.end()), windows.end());
}

Distribution permute(const Distribution &distribution,
                     const Permutation &inDim) {
  if (isIdentity(inDim))
    return distribution;
  Permutation outDim = inverse(inDim);
  Distribution result = distribution;
  if (!distribution.tiles.empty()) {
    result.tiles = permute(distribution.tiles, inDim);
    // The split dimensions keep their sequence, slowest first, so that tiles
    // keep their numbers.
    Permutation slowestFirst = distribution.major;
    if (slowestFirst.empty())
      for (std::size_t dim = 0; dim < distribution.tiles.size(); ++dim)
        if (distribution.tiles[dim] > 1)
          slowestFirst.push_back(static_cast<int64_t>(dim));
    for (int64_t &dim : slowestFirst)
      dim = outDim[dim];
    if (std::is_sorted(slowestFirst.begin(), slowestFirst.end()))
      slowestFirst.clear();
    result.major = slowestFirst;
  }
  if (!distribution.align.empty())
    result.align = permute(distribution.align, inDim);
  for (Window &window : result.windows)
    window.dim = outDim[window.dim];
  std::sort(result.windows.begin(), result.windows.end());
  for (Box &box : result.compute)
    box = permute(box, inDim);
  for (Box &box : result.memory)
    box = permute(box, inDim);
  return result;
}

namespace {

/// FNV-1a over 64-bit words instead of bytes.
class Hash {
public:
  void add(int64_t value) {
    state = (state ^ static_cast<uint64_t>(value)) * 0x100000001b3u;
    // Multiplication carries only towards high bits, so that the high half has
    // to be folded back.
    state ^= state >> 32;
  }
  void add(const Extents &values) {
    add(static_cast<int64_t>(values.size()));
    for (int64_t value : values)
      add(value);
  }
  void add(const std::vector<Box> &boxes) {
    add(static_cast<int64_t>(boxes.size()));
    for (const Box &box : boxes) {
      // All empty boxes are equal.
      if (box.isEmpty()) {
        add(-1);
        continue;
      }
      for (const Range &range : box) {
        add(range.begin);
        add(range.end);
      }
    }
  }
  std::size_t value() const { return static_cast<std::size_t>(state); }

private:
  uint64_t state = 0xcbf29ce484222325u;
};

} // namespace

static std::size_t rankOfBoxes(const Layout &layout) {
  if (!layout.distribution)
    return 0;
  const Distribution &distribution = *layout.distribution;
  const std::vector<Box> &boxes =
      distribution.compute.empty() ? distribution.memory : distribution.compute;
  return boxes.empty() ? 0 : boxes.front().rank();
}

bool operator==(const Layout &a, const Layout &b) {
  return a.order == b.order && a.storage == b.storage &&
         a.distribution == b.distribution && rankOfBoxes(a) == rankOfBoxes(b);
}

std::size_t hashValue(const Layout &layout) {
  Hash hash;
  hash.add(layout.order);
  hash.add(static_cast<int64_t>(layout.storage));
  hash.add(layout.distribution.has_value());
  if (layout.distribution) {
    const Distribution &distribution = *layout.distribution;
    hash.add(static_cast<int64_t>(distribution.mode));
    hash.add(distribution.tiles);
    hash.add(distribution.tileCount);
    hash.add(distribution.major);
    hash.add(distribution.copies);
    hash.add(static_cast<int64_t>(distribution.split));
    hash.add(distribution.align);
    hash.add(static_cast<int64_t>(distribution.windows.size()));
    for (const Window &window : distribution.windows)
      for (int64_t value : {window.dim, window.kernel, window.stride,
                            window.padLo, window.padHi, window.dilation})
        hash.add(value);
    hash.add(distribution.compute);
    hash.add(distribution.memory);
  }
  return hash.value();
}

} // namespace npu
