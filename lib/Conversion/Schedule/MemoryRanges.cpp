// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception

#include "MemoryRanges.h"

#include "llvm/ADT/STLExtras.h"
#include "llvm/Support/MathExtras.h"

namespace npu {

bool StridedPart::isEmpty() const { return llvm::is_contained(extents, 0); }

std::pair<int64_t, int64_t> StridedPart::span() const {
  int64_t first = offset, last = offset;
  for (auto [extent, stride] : llvm::zip_equal(extents, strides))
    (stride < 0 ? first : last) += (extent - 1) * stride;
  return {first, last};
}

/// The bytes of elements from the first to the last.
static std::pair<int64_t, int64_t> hullOf(int64_t first, int64_t last,
                                          int64_t elementBits) {
  return {first * elementBits / 8,
          llvm::divideCeilSigned((last + 1) * elementBits, 8)};
}

std::pair<int64_t, int64_t> StridedPart::hull() const {
  auto [first, last] = span();
  return hullOf(first, last, elementBits);
}

void StridedPart::forEachRun(
    int64_t base,
    llvm::function_ref<void(int64_t begin, int64_t end)> run) const {
  // Dimensions that make one run together with those after them.
  size_t outer = extents.size();
  int64_t length = 1;
  while (outer > 0 &&
         (extents[outer - 1] == 1 || strides[outer - 1] == length)) {
    length *= extents[outer - 1];
    --outer;
  }
  llvm::SmallVector<int64_t> index(outer, 0);
  while (true) {
    int64_t first = offset;
    for (size_t dim = 0; dim < outer; ++dim)
      first += index[dim] * strides[dim];
    run(base + first * elementBits / 8,
        base + llvm::divideCeilSigned((first + length) * elementBits, 8));
    size_t dim = outer;
    while (dim > 0 && ++index[dim - 1] == extents[dim - 1])
      index[--dim] = 0;
    if (dim == 0)
      return;
  }
}

ScratchpadRows::Ranges::iterator ScratchpadRows::splitAt(int64_t at) {
  auto next = ranges.lower_bound(at);
  if (next != ranges.end() && next->first == at)
    return next;
  if (next == ranges.begin())
    return next;
  auto before = std::prev(next);
  if (before->second.end <= at)
    return next;
  Range rest = before->second;
  before->second.end = at;
  return ranges.emplace_hint(next, at, std::move(rest));
}

void ScratchpadRows::read(int64_t begin, int64_t end, RowId row, int64_t queue,
                          Waits &waits,
                          llvm::function_ref<void(const ByteRange &)> found) {
  auto first = splitAt(begin);
  splitAt(end);
  int64_t at = begin;
  auto addRange = [&](int64_t until, RowId writer) {
    if (at < until)
      found({0, at, until, writer});
    at = until;
  };
  auto note = [&](Range &range) {
    // Rows of one queue end in their order.
    auto *known = llvm::find_if(range.readers, [&](const Reader &each) {
      return queue >= 0 && each.queue == queue;
    });
    if (known != range.readers.end())
      known->row = row;
    else
      range.readers.push_back({row, queue});
  };
  while (first != ranges.end() && first->first < end) {
    // What nobody wrote is read as it was at the start.
    if (at < first->first) {
      Range gap{first->first, kNoRow, {{row, queue}}};
      int64_t from = at;
      addRange(first->first, kNoRow);
      ranges.emplace_hint(first, from, std::move(gap));
    }
    Range &range = first->second;
    if (range.writer != kNoRow)
      waits.push_back(range.writer);
    note(range);
    addRange(range.end, range.writer);
    ++first;
  }
  if (at < end) {
    ranges[at] = {end, kNoRow, {{row, queue}}};
    addRange(end, kNoRow);
  }
}

void ScratchpadRows::write(int64_t begin, int64_t end, RowId row,
                           Waits &waits) {
  auto first = splitAt(begin), last = splitAt(end);
  for (auto range = first; range != last; ++range) {
    if (range->second.writer != kNoRow)
      waits.push_back(range->second.writer);
    for (const Reader &reader : range->second.readers)
      waits.push_back(reader.row);
  }
  ranges.erase(first, last);
  ranges[begin] = {end, row, {}};
}

EqualParts::EqualParts(const StridedPart &part)
    : form(part), stridesNest(!part.strides.empty()) {
  form.offset = 0;
  span = form.span();
  for (auto [dim, stride] : llvm::enumerate(form.strides))
    stridesNest &=
        stride > 0 && (dim == 0 || form.strides[dim - 1] % stride == 0);
}

bool EqualParts::areLike(const StridedPart &part) const {
  return form.elementBits == part.elementBits && form.extents == part.extents &&
         form.strides == part.strides;
}

EqualParts::Begins EqualParts::beginsOf(int64_t offset) const {
  Begins begins;
  for (int64_t stride : form.strides) {
    begins.push_back(offset / stride);
    offset %= stride;
  }
  return begins;
}

int64_t EqualParts::offsetOf(const Begins &begins) const {
  int64_t offset = 0;
  for (auto [begin, stride] : llvm::zip_equal(begins, form.strides))
    offset += begin * stride;
  return offset;
}

/// Skips to the next offset that can be inside, wherever one is outside.
void EqualParts::forEachInBox(
    const StridedPart &part,
    llvm::function_ref<void(int64_t, const Rows &)> found) const {
  Begins least = beginsOf(part.offset), most = least;
  for (size_t dim = 0; dim < least.size(); ++dim) {
    least[dim] = std::max<int64_t>(least[dim] - form.extents[dim] + 1, 0);
    most[dim] += part.extents[dim] - 1;
  }
  auto at = rows.lower_bound(offsetOf(least));
  while (at != rows.end()) {
    Begins begins = beginsOf(at->first);
    size_t dim = 0;
    while (dim < begins.size() && least[dim] <= begins[dim] &&
           begins[dim] <= most[dim])
      ++dim;
    if (dim == begins.size()) {
      found(at->first, at->second);
      ++at;
      continue;
    }
    if (begins[dim] > most[dim]) {
      if (dim == 0)
        return;
      ++begins[dim - 1];
    }
    std::copy(least.begin() + dim, least.end(), begins.begin() + dim);
    at = rows.lower_bound(offsetOf(begins));
  }
}

void EqualParts::forEachOverlap(
    const StridedPart &part,
    llvm::function_ref<void(const Rows &)> found) const {
  auto [begin, end] = part.hull();
  int64_t bits = form.elementBits;
  auto hullAt = [&](int64_t offset) {
    return hullOf(offset + span.first, offset + span.second, bits);
  };
  if (stridesNest && bits == part.elementBits && form.strides == part.strides) {
    forEachInBox(part, [&](int64_t offset, const Rows &each) {
      if (hullAt(offset).first < end && begin < hullAt(offset).second)
        found(each);
    });
    return;
  }
  for (auto at = rows.lower_bound(begin * 8 / bits - span.second - 1);
       at != rows.end() && hullAt(at->first).first < end; ++at)
    if (begin < hullAt(at->first).second)
      found(at->second);
}

EqualParts::Rows &DdrRows::rowsOf(const StridedPart &part) {
  auto like = llvm::find_if(
      parts, [&](const EqualParts &each) { return each.areLike(part); });
  if (like == parts.end())
    like = parts.emplace(like, part);
  return (*like)[part.offset];
}

void DdrRows::read(const StridedPart &part, RowId row, Waits &waits) {
  for (const EqualParts &each : parts)
    each.forEachOverlap(part, [&](const EqualParts::Rows &rows) {
      if (rows.writer != kNoRow)
        waits.push_back(rows.writer);
    });
  rowsOf(part).readers.push_back(row);
}

void DdrRows::write(const StridedPart &part, RowId row, Waits &waits) {
  for (const EqualParts &each : parts)
    each.forEachOverlap(part, [&](const EqualParts::Rows &rows) {
      if (rows.writer != kNoRow)
        waits.push_back(rows.writer);
      llvm::append_range(waits, rows.readers);
    });
  // Whoever waits for this row has waited for those of the same part.
  rowsOf(part) = {row, {}};
}

} // namespace npu
