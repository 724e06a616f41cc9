// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception

#include "npu/Placement/Distributions/Storage.h"

namespace npu {

std::string_view toString(Storage storage) {
  return storage == Storage::Tiled2d ? "tiled2d" : "linear";
}

std::optional<Storage> parseStorage(std::string_view word) {
  for (Storage storage : {Storage::Linear, Storage::Tiled2d})
    if (word == toString(storage))
      return storage;
  return std::nullopt;
}

static int64_t groupsOf(int64_t channels) {
  return (channels + channelsPacked - 1) / channelsPacked;
}

ImageExtents imageOf(const Extents &sizes) {
  return {sizes[0] * sizes[2], groupsOf(sizes[1]) * sizes[3]};
}

Extents packedShape(const Extents &sizes) {
  return {sizes[0], sizes[2], groupsOf(sizes[1]), sizes[3], channelsPacked};
}

int64_t storedVolume(const Box &box, Storage storage) {
  if (storage == Storage::Linear || box.isEmpty())
    return box.volume();
  ImageExtents image = imageOf(box.sizes());
  return image.rows * image.places * channelsPacked;
}

} // namespace npu
