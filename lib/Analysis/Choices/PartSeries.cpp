// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception

#include "npu/Analysis/Choices/PartSeries.h"

using namespace mlir;

namespace npu {
namespace {

using Ranges = SmallVector<Range, 2>;

/// The distance from `other` to `part` along `loop`, where both have the same
/// ranges in all other loops and the same extent in `loop`; 0 where they do
/// not.
int64_t distanceIn(size_t loop, const Ranges &part, const Ranges &other) {
  for (size_t each = 0; each < part.size(); ++each)
    if (each == loop ? part[each].extent() != other[each].extent()
                     : part[each] != other[each])
      return 0;
  return part[loop].begin - other[loop].begin;
}

/// How often the first `size` parts occur, each time shifted by `step` along
/// `loop`; the first occurrence counts.
unsigned repetitions(ArrayRef<Ranges> parts, size_t size, size_t loop,
                     int64_t &step) {
  unsigned count = 1;
  step = 0;
  for (; (count + 1) * size <= parts.size(); ++count) {
    int64_t next = distanceIn(loop, parts[count * size], parts[0]);
    if (count == 1)
      step = next;
    if (step == 0)
      return 1;
    for (size_t i = 0; i < size; ++i)
      if (distanceIn(loop, parts[count * size + i], parts[i]) !=
          step * int64_t(count))
        return count;
  }
  return count;
}

PartSeries firstSeries(ArrayRef<Ranges> parts) {
  PartSeries series;
  series.count = 1;
  series.ranges.resize(parts[0].size());
  for (size_t loop = parts[0].size(); loop-- > 0;) {
    PartRange &range = series.ranges[loop];
    range.begin = parts[0][loop].begin;
    range.extent = parts[0][loop].extent();
    range.period = series.count;
    range.count = repetitions(parts, series.count, loop, range.step);
    series.count *= range.count;
  }
  return series;
}

} // namespace

AffineExpr PartSeries::beginOf(const PartRange &range, AffineExpr part) const {
  if (range.count == 1)
    return part.floorDiv(count) * range.extent + range.begin;
  AffineExpr digit = part.floorDiv(range.period);
  if (hasRemainder(range))
    digit = digit % range.count;
  return digit * range.step + range.begin;
}

std::vector<PartSeries> findPartSeries(ArrayRef<Ranges> parts) {
  std::vector<PartSeries> all;
  for (unsigned first = 0; first < parts.size(); first += all.back().count) {
    all.push_back(firstSeries(parts.drop_front(first)));
    all.back().first = first;
  }
  return all;
}

} // namespace npu
