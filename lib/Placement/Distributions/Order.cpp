// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// Dimension orders, their names, and what a permute_cast does to dimensions.

#include "npu/Placement/Distributions/Order.h"

#include <algorithm>
#include <vector>

namespace npu {

bool isPermutation(std::span<const int64_t> values) {
  std::vector<bool> seen(values.size());
  for (int64_t value : values) {
    if (value < 0 || value >= static_cast<int64_t>(values.size()) ||
        seen[value])
      return false;
    seen[value] = true;
  }
  return true;
}

bool isIdentity(const Permutation &permutation) {
  for (std::size_t i = 0; i < permutation.size(); ++i)
    if (permutation[i] != static_cast<int64_t>(i))
      return false;
  return true;
}

Permutation identityPermutation(std::size_t rank) {
  Permutation result;
  for (std::size_t i = 0; i < rank; ++i)
    result.push_back(static_cast<int64_t>(i));
  return result;
}

Permutation inverse(const Permutation &permutation) {
  Permutation result(permutation.size(), 0);
  for (std::size_t i = 0; i < permutation.size(); ++i)
    result[permutation[i]] = static_cast<int64_t>(i);
  return result;
}

Permutation compose(const Permutation &first, const Permutation &second) {
  if (first.empty())
    return second;
  return permute(first, second);
}

Extents permute(const Extents &values, const Permutation &permutation) {
  if (permutation.empty())
    return values;
  Extents result;
  for (int64_t from : permutation)
    result.push_back(values[from]);
  return result;
}

// The letters of logical dimensions 0, 1, ...: those of images, and those of
// grouped images.
static constexpr std::string_view kLetters4 = "NCHW";
static constexpr std::string_view kLetters5 = "GNCHW";

std::optional<Permutation> parseOrderName(std::string_view name) {
  std::string_view letters = name.size() == 5 ? kLetters5 : kLetters4;
  if (name.size() != letters.size())
    return std::nullopt;
  Permutation order;
  for (char letter : name) {
    std::size_t dim = letters.find(letter);
    if (dim == std::string_view::npos)
      return std::nullopt;
    order.push_back(static_cast<int64_t>(dim));
  }
  if (!isPermutation(order.span()) || (order.size() == 5 && order[0] != 0))
    return std::nullopt;
  return order;
}

std::optional<std::string> orderName(const Permutation &order) {
  bool grouped = order.size() == 5 && order[0] == 0;
  if (!isPermutation(order.span()) || (order.size() != 4 && !grouped))
    return std::nullopt;
  std::string name;
  for (int64_t dim : order)
    name += (grouped ? kLetters5 : kLetters4)[dim];
  return name;
}

Permutation castDimensions(const Permutation &inOrder,
                           const Permutation &memPerm,
                           const Permutation &outOrder) {
  std::size_t rank =
      std::max({inOrder.size(), memPerm.size(), outOrder.size()});
  Permutation inDim(rank, 0);
  for (std::size_t i = 0; i < rank; ++i) {
    int64_t outMem = static_cast<int64_t>(i);
    int64_t inMem = memPerm.empty() ? outMem : memPerm[i];
    inDim[outOrder.empty() ? outMem : outOrder[i]] =
        inOrder.empty() ? inMem : inOrder[inMem];
  }
  return inDim;
}

bool isTrivialMemPerm(const Extents &memShape, const Permutation &memPerm) {
  int64_t last = -1;
  for (int64_t dim : memPerm) {
    if (memShape[dim] == 1)
      continue;
    if (dim < last)
      return false;
    last = dim;
  }
  return true;
}

Box permute(const Box &box, const Permutation &inDim) {
  if (inDim.empty() || box.rank() != inDim.size())
    return box;
  Box result;
  for (int64_t from : inDim)
    result.push_back(box[from]);
  return result;
}

} // namespace npu
