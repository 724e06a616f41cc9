// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception

#include "MemoryRuns.h"

namespace npu {

static constexpr int64_t kMaxRuns = 1 << 16;

std::optional<std::vector<Range>> runsOf(const Box &box, const Extents &shape,
                                         const Permutation &order) {
  if (box.isEmpty())
    return std::vector<Range>();
  Permutation dims = order.empty() ? identityPermutation(shape.size()) : order;
  // Entries of the inner dimensions that the box has whole follow each other,
  // and so do those of the first dimension that it has in part.
  std::size_t inner = dims.size();
  int64_t length = 1, stride = 1;
  while (inner > 0) {
    const Range &range = box[dims[--inner]];
    length *= range.extent();
    stride *= shape[dims[inner]];
    if (range.extent() != shape[dims[inner]])
      break;
  }
  int64_t count = 1;
  for (std::size_t i = 0; i < inner; ++i) {
    count *= box[dims[i]].extent();
    if (count > kMaxRuns)
      return std::nullopt;
  }
  // Begins of the runs, outer dimensions first.
  std::vector<int64_t> begins = {0};
  for (std::size_t i = 0; i < inner; ++i) {
    std::vector<int64_t> next;
    const Range &range = box[dims[i]];
    for (int64_t begin : begins)
      for (int64_t entry = range.begin; entry < range.end; ++entry)
        next.push_back(begin * shape[dims[i]] + entry);
    begins = std::move(next);
  }
  int64_t offset = 0, below = 1;
  for (std::size_t i = dims.size(); i-- > inner;) {
    offset += box[dims[i]].begin * below;
    below *= shape[dims[i]];
  }
  std::vector<Range> runs;
  for (int64_t begin : begins) {
    Range run{begin * stride + offset, begin * stride + offset + length};
    if (!runs.empty() && runs.back().end == run.begin)
      runs.back().end = run.end;
    else
      runs.push_back(run);
  }
  return runs;
}

int64_t countMissing(const std::vector<Range> &wanted,
                     const std::vector<Range> &held) {
  int64_t missing = 0;
  auto it = held.begin();
  for (const Range &range : wanted) {
    missing += range.extent();
    while (it != held.end() && it->end <= range.begin)
      ++it;
    for (auto each = it; each != held.end() && each->begin < range.end; ++each)
      missing -= intersect(*each, range).extent();
  }
  return missing;
}

} // namespace npu
