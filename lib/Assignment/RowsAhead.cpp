// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception

#include "RowsAhead.h"

#include <algorithm>
#include <limits>

namespace npu {
namespace {

/// The most rows that are kept after an operation: those with the least spare
/// bytes.
constexpr size_t kMostRows = 8;

int64_t bytesOf(const std::vector<LayoutBytes> &terms, ValueLayout layout) {
  auto term = std::ranges::lower_bound(terms, layout, {}, &LayoutBytes::layout);
  return term != terms.end() && term->layout == layout ? term->bytes : 0;
}

/// Whether whatever exceeds `row` exceeds `by`, too.
bool isImplied(const RowsAhead::Row &row, const RowsAhead::Row &by) {
  return by.room <= row.room &&
         std::ranges::all_of(row.layouts, [&](const LayoutBytes &term) {
           return bytesOf(by.layouts, term.layout) >= term.bytes;
         });
}

/// Whether all layouts together may exceed the row.
bool mayBeExceeded(const RowsAhead::Row &row) {
  int64_t bytes = 0;
  for (const LayoutBytes &term : row.layouts)
    bytes += term.bytes;
  return bytes > row.room;
}

} // namespace

/// The row of an operation before anything of it was made.
RowsAhead::Row RowsAhead::rowOf(const CapacityRow &row) const {
  Row found{row.capacity - row.fixed, {}};
  for (const LayoutBytes &term : row.layouts)
    if (term.bytes > 0)
      found.layouts.push_back(term);
  std::ranges::sort(found.layouts, {}, &LayoutBytes::layout);
  return found;
}

/// The row in terms of what is live before `operation`. `own` is what it was
/// made of where it is a row of this operation.
RowsAhead::Row RowsAhead::before(int operation, Row row,
                                 const CapacityRow *own) const {
  const std::vector<Candidate> &candidates =
      problem.operations[operation].candidates;
  int64_t least = std::numeric_limits<int64_t>::max();
  for (size_t w = 0; w < candidates.size(); ++w) {
    int64_t bytes = 0;
    if (own)
      for (CandidateBytes term : own->candidates)
        if (term.candidate == static_cast<int>(w))
          bytes += term.bytes;
    for (size_t r = 0; r < made[operation].size(); ++r)
      bytes += bytesOf(row.layouts,
                       {made[operation][r], candidates[w].resultLayouts[r]});
    least = std::min(least, bytes);
  }
  row.room -= least;
  for (int value : lifetimes.entering(operation))
    row.room -= bytesOf(row.layouts, {value, 0});
  std::erase_if(row.layouts, [&](const LayoutBytes &term) {
    return lifetimes.begin(term.layout.value) >= operation;
  });
  return row;
}

void RowsAhead::add(std::vector<Row> &rows, Row row) {
  if (!mayBeExceeded(row) || std::ranges::any_of(rows, [&](const Row &other) {
        return isImplied(row, other);
      }))
    return;
  std::erase_if(rows, [&](const Row &other) { return isImplied(other, row); });
  rows.push_back(std::move(row));
}

/// What is left of the row's room when each value is made in its smallest
/// layout.
int64_t RowsAhead::spareBytes(const Row &row) const {
  int64_t spare = row.room;
  for (auto term = row.layouts.begin(); term != row.layouts.end();) {
    int value = term->layout.value;
    auto next =
        std::find_if(term, row.layouts.end(), [&](const LayoutBytes &other) {
          return other.layout.value != value;
        });
    std::span<const LayoutBytes> terms(term, next);
    int64_t least = std::numeric_limits<int64_t>::max();
    for (int layout : makes[value]) {
      auto made = std::ranges::find(terms, ValueLayout{value, layout},
                                    &LayoutBytes::layout);
      least = std::min(least, made == terms.end() ? 0 : made->bytes);
    }
    spare -= makes[value].empty() ? 0 : least;
    term = next;
  }
  return spare;
}

void RowsAhead::keepTightest(std::vector<Row> &rows) const {
  if (rows.size() <= kMostRows)
    return;
  std::vector<std::pair<int64_t, size_t>> ranked;
  for (size_t r = 0; r < rows.size(); ++r)
    ranked.emplace_back(spareBytes(rows[r]), r);
  std::ranges::sort(ranked);
  std::vector<Row> kept;
  for (size_t k = 0; k < kMostRows; ++k)
    kept.push_back(std::move(rows[ranked[k].second]));
  rows = std::move(kept);
}

RowsAhead::RowsAhead(const AssignmentProblem &problem,
                     const std::vector<std::vector<int>> &made,
                     const std::vector<CapacityRow> &rows,
                     const Lifetimes &lifetimes)
    : problem(problem), made(made), lifetimes(lifetimes),
      makes(problem.values.size()), rowsAfter(problem.operations.size()) {
  for (size_t v = 0; v < makes.size(); ++v)
    if (problem.values[v].madeBy < 0)
      makes[v] = {0};
  for (size_t i = 0; i < problem.operations.size(); ++i)
    for (size_t r = 0; r < made[i].size(); ++r)
      for (const Candidate &candidate : problem.operations[i].candidates)
        makes[made[i][r]].insert(candidate.resultLayouts[r]);
  auto end = rows.end();
  for (int i = static_cast<int>(problem.operations.size()) - 1; i > 0; --i) {
    std::vector<Row> &here = rowsAfter[i - 1];
    for (; end != rows.begin() && std::prev(end)->at == i; --end)
      add(here, before(i, rowOf(*std::prev(end)), &*std::prev(end)));
    for (const Row &row : rowsAfter[i])
      add(here, before(i, row, nullptr));
    keepTightest(here);
  }
}

} // namespace npu
