// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception

#include "MemoryRents.h"

#include <algorithm>

namespace npu {
namespace {

/// Parts of a row are counted in so many bits.
constexpr int kBits = 20;

/// `bytes` as a part of the capacity, rounded down: what is paid is never more
/// than it should be.
int64_t part(int64_t bytes, int64_t capacity) {
  return (std::min(bytes, int64_t{1} << kBits * 2) << kBits) / capacity;
}

int64_t rent(int64_t price, int64_t bytes, int64_t capacity) {
  // The parts of what does not fit alone do not matter.
  int64_t most = int64_t{1} << kBits;
  return price * std::min(part(bytes, capacity), most) >> kBits;
}

} // namespace

MemoryRents::MemoryRents(const AssignmentProblem &problem,
                         const std::vector<MemoryRow> &rows)
    : problem(&problem), rows(&rows), made(valuesMade(problem)) {
  set(std::vector<int64_t>(rows.size(), 0));
}

void MemoryRents::set(const std::vector<int64_t> &prices) {
  formRents.clear();
  wayRents.clear();
  total = 0;
  for (const AssignedValue &value : problem->values)
    formRents.emplace_back(value.forms.size(), 0);
  for (const AssignedOperation &operation : problem->operations)
    wayRents.emplace_back(operation.ways.size(), 0);
  for (size_t r = 0; r < rows->size(); ++r) {
    const MemoryRow &row = (*rows)[r];
    if (row.capacity <= 0 || prices[r] == 0)
      continue;
    for (WayBytes term : row.ways)
      wayRents[row.at][term.way] += rent(prices[r], term.bytes, row.capacity);
    for (const FormBytes &term : row.forms)
      formRents[term.form.value][term.form.form] +=
          rent(prices[r], term.bytes, row.capacity);
    total += prices[r] - rent(prices[r], row.fixed, row.capacity);
  }
}

std::vector<double> MemoryRents::excess(const std::vector<int> &ways) const {
  std::vector<std::vector<bool>> exists;
  for (const AssignedValue &value : problem->values) {
    exists.emplace_back(value.forms.size(), false);
    if (value.madeBy < 0)
      exists.back()[0] = true;
  }
  for (size_t i = 0; i < ways.size(); ++i) {
    const Way &way = problem->operations[i].ways[ways[i]];
    for (size_t r = 0; r < made[i].size(); ++r)
      exists[made[i][r]][way.makes[r]] = true;
    for (ValueForm need : way.needs)
      exists[need.value][need.form] = true;
  }
  std::vector<double> all;
  for (const MemoryRow &row : *rows) {
    int64_t bytes = row.fixed;
    for (WayBytes term : row.ways)
      if (term.way == ways[row.at])
        bytes += term.bytes;
    for (const FormBytes &term : row.forms)
      if (exists[term.form.value][term.form.form])
        bytes += term.bytes;
    all.push_back(row.capacity <= 0
                      ? 0
                      : static_cast<double>(bytes) /
                                static_cast<double>(row.capacity) -
                            1);
  }
  return all;
}

} // namespace npu
