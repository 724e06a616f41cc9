// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception

#include "MemoryRanges.h"

#include "llvm/ADT/STLExtras.h"
#include "llvm/Support/MathExtras.h"

namespace npu {

bool StridedPart::isEmpty() const { return llvm::is_contained(extents, 0); }

std::pair<int64_t, int64_t> StridedPart::hull() const {
  int64_t first = offset, last = offset;
  for (auto [extent, stride] : llvm::zip_equal(extents, strides))
    (stride < 0 ? first : last) += (extent - 1) * stride;
  return {first * elementBits / 8,
          llvm::divideCeilSigned((last + 1) * elementBits, 8)};
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

DdrRows::Access::Access(const StridedPart &part, RowId row, size_t form)
    : part(part), row(row), hull(part.hull()), form(form) {
  int64_t rest = part.offset, before = 0;
  for (auto [dim, stride] : llvm::enumerate(part.strides)) {
    if (stride <= 0 || (dim > 0 && before % stride != 0)) {
      begins.clear();
      return;
    }
    before = stride;
    begins.push_back(rest / stride);
    rest %= stride;
  }
}

bool DdrRows::Access::liesApartFrom(const Access &other) const {
  if (hull.second <= other.hull.first || other.hull.second <= hull.first)
    return true;
  if (form != other.form)
    return false;
  for (size_t dim = 0; dim < begins.size(); ++dim)
    if (begins[dim] + part.extents[dim] <= other.begins[dim] ||
        other.begins[dim] + other.part.extents[dim] <= begins[dim])
      return true;
  return false;
}

DdrRows::Access DdrRows::accessOf(const StridedPart &part, RowId row) {
  auto form = std::pair(part.elementBits, part.strides);
  auto known = llvm::find(forms, form);
  size_t number = known - forms.begin();
  if (known == forms.end())
    forms.push_back(std::move(form));
  return {part, row, number};
}

void DdrRows::read(const StridedPart &part, RowId row, Waits &waits) {
  Access access = accessOf(part, row);
  for (const Access &each : written)
    if (!access.liesApartFrom(each))
      waits.push_back(each.row);
  readSince.push_back(std::move(access));
}

void DdrRows::write(const StridedPart &part, RowId row, Waits &waits) {
  Access access = accessOf(part, row);
  for (std::vector<Access> *accesses : {&written, &readSince}) {
    for (const Access &each : *accesses)
      if (!access.liesApartFrom(each))
        waits.push_back(each.row);
    // Whoever waits for this row has waited for those of the same part.
    llvm::erase_if(*accesses, [&](const Access &each) {
      return each.hull == access.hull && each.part == part;
    });
  }
  written.push_back(std::move(access));
}

} // namespace npu
