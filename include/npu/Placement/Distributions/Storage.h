// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// Storage kinds: how what a tile holds of a tensor lies in its memory
// (docs/storage.md).

#ifndef NPU_PLACEMENT_DISTRIBUTIONS_STORAGE_H
#define NPU_PLACEMENT_DISTRIBUTIONS_STORAGE_H

#include "npu/Placement/Boxes/Box.h"

#include <optional>
#include <string_view>

namespace npu {

/// One kind never changes a value, or the type of an element.
enum class Storage {
  /// Entry after entry, dimensions in memory order.
  Linear,
  /// Of tensors of rank 4, an image: N*H rows of ceil(C/4)*W places, each of
  /// which has 4 entries of consecutive channels, dimension 1. Channels that
  /// fill up the last group are 0.
  Tiled2d,
};

/// The channels that lie in one place of an image.
inline constexpr int64_t channelsPacked = 4;

/// "linear" or "tiled2d".
std::string_view toString(Storage storage);
std::optional<Storage> parseStorage(std::string_view word);

/// The rows and places of the image that holds a box of rank 4.
struct ImageExtents {
  int64_t rows = 0, places = 0;
};
ImageExtents imageOf(const Extents &sizes);

/// The shape of an image in memory: [N, H, ceil(C/4), W, 4]. Example: a box of
/// sizes [1, 3, 5, 6] has [1, 5, 1, 6, 4].
Extents packedShape(const Extents &sizes);

/// The elements that a box takes in memory, with those that only fill up.
int64_t storedVolume(const Box &box, Storage storage);

} // namespace npu

#endif // NPU_PLACEMENT_DISTRIBUTIONS_STORAGE_H
