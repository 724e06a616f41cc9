// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// A table: the rows "kept back" of docs/devices.md, which a test compares it
// with.

#include "npu/Target/ModelErrors.h"

#include <algorithm>

namespace npu {

static constexpr ModelError kErrors[] = {
    {"npu3720", "contraction", 56, 165}, {"npu3720", "depthwise", 50, 235},
    {"npu3720", "pooling", 123, 280},    {"npu3720", "elementwise", 39, 133},
    {"npu3720", "transfers", 36, 116},   {"npu3720", "vector engine", 57, 348},
    {"npu4000", "contraction", 65, 196}, {"npu4000", "depthwise", 120, 323},
    {"npu4000", "pooling", 89, 271},     {"npu4000", "elementwise", 70, 184},
    {"npu4000", "transfers", 38, 259},   {"npu4000", "vector engine", 135, 380},
};

std::span<const ModelError> modelErrorsOf(const Target &target) {
  const Target *own = findBuiltinTarget(target.name);
  if (!own || own->costs != target.costs)
    return {};
  auto isOther = [&](const ModelError &error) {
    return error.device != target.name;
  };
  const auto *begin = std::ranges::find_if_not(kErrors, isOther);
  return {begin, std::find_if(begin, std::end(kErrors), isOther)};
}

} // namespace npu
