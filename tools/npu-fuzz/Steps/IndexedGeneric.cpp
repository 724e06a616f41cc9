// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception

#include "npu-fuzz/Steps/IndexedGeneric.h"

#include <algorithm>
#include <set>

namespace npu {
namespace {

constexpr std::size_t kHeader = 8;

} // namespace

std::vector<int64_t> numbersOf(const Indexed &op) {
  std::vector<int64_t> numbers = {op.body,  op.first,   op.second, op.inputs,
                                  op.loops, op.hasInit, op.extent, op.slack};
  for (const auto &map : op.maps)
    for (const AffineIndex &index : map)
      append(numbers, index);
  return numbers;
}

std::optional<Indexed> indexedOf(const Step &step, const Operands &operands) {
  const std::vector<int64_t> &n = step.numbers;
  Indexed op{
      static_cast<Body>(n[0]), n[1], n[2], n[3], n[4], n[5], n[6], n[7], {}};
  std::span<const int64_t> rest = std::span(n).subspan(kHeader);
  for (int64_t input = 0; input < op.inputs; ++input) {
    op.maps.emplace_back();
    for (std::size_t dim = 0; dim < operands[input]->shape.size(); ++dim) {
      if (rest.size() < kIndexNumbers)
        return std::nullopt;
      op.maps.back().push_back(indexFrom(rest));
      rest = rest.subspan(kIndexNumbers);
    }
  }
  op.maps.emplace_back();
  for (; !rest.empty(); rest = rest.subspan(kIndexNumbers))
    op.maps.back().push_back(indexFrom(rest));
  return op;
}

std::optional<std::vector<int64_t>> loopExtents(const Indexed &op,
                                                const Operands &operands) {
  std::vector<int64_t> extents(op.loops, 0);
  for (int64_t input = 0; input < op.inputs; ++input)
    for (auto [dim, index] : llvm::enumerate(op.maps[input])) {
      if (index.loop >= op.loops || index.other >= op.loops)
        return std::nullopt;
      if (index.form != AffineIndex::Plain)
        continue;
      int64_t extent = operands[input]->shape[dim];
      if (extent == 0 || (extents[index.loop] && extents[index.loop] != extent))
        return std::nullopt;
      extents[index.loop] = extent;
    }
  // Loops that no input has need a plain dimension of the output.
  for (auto [loop, extent] : llvm::enumerate(extents))
    if (extent == 0) {
      extent = op.extent;
      if (llvm::none_of(op.maps.back(), [&, loop = loop](auto &index) {
            return index.form == AffineIndex::Plain &&
                   index.loop == static_cast<int64_t>(loop);
          }))
        return std::nullopt;
    }
  return extents;
}

bool isReduction(const Indexed &op, int64_t loop) {
  return llvm::none_of(op.maps.back(), [&](const AffineIndex &index) {
    return index.uses(loop);
  });
}

bool writesOnce(const Indexed &op, std::span<const int64_t> extents) {
  const auto &map = op.maps.back();
  // Points that differ in a plain loop have different indices: only the others
  // have to be counted.
  auto isPlain = [&](int64_t loop) {
    return llvm::any_of(map, [&](auto &index) {
      return index.form == AffineIndex::Plain && index.loop == loop;
    });
  };
  std::vector<int64_t> counted;
  int64_t points = 1;
  for (int64_t loop = 0; loop < op.loops; ++loop)
    if (!isReduction(op, loop) && !isPlain(loop)) {
      counted.push_back(loop);
      points *= extents[loop];
    }
  if (points > 4096)
    return false;
  std::set<std::vector<int64_t>> seen;
  std::vector<int64_t> point(op.loops);
  for (int64_t number = 0; number < points; ++number) {
    int64_t rest = number;
    for (int64_t loop : counted) {
      point[loop] = rest % extents[loop];
      rest /= extents[loop];
    }
    std::vector<int64_t> element;
    for (const AffineIndex &index : map)
      element.push_back(index.at(point));
    if (!seen.insert(element).second)
      return false;
  }
  return true;
}

bool fits(std::span<const AffineIndex> map, std::span<const int64_t> loops,
          const Extents &shape) {
  if (map.size() != shape.size())
    return false;
  for (auto [index, extent] : llvm::zip(map, shape)) {
    Range values = valuesOf(index, loops);
    if (values.begin < 0 || values.end > extent ||
        (index.form == AffineIndex::Plain && values.end != extent))
      return false;
  }
  return true;
}

bool bodyIsSafe(const Indexed &op, ElementType type,
                std::span<const int64_t> extents, bool exact) {
  bool reduces = false;
  double terms = 1;
  for (int64_t loop = 0; loop < op.loops; ++loop)
    if (isReduction(op, loop)) {
      reduces = true;
      terms *= static_cast<double>(extents[loop]);
    }
  if (!reduces)
    return true;
  return op.body == AccumulateMost ||
         (op.body == Accumulate && (exact || maySumInParts(type, terms)));
}

} // namespace npu
