// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception

#include "CapacityMultipliers.h"

#include <algorithm>

namespace npu {
namespace {

/// Fractions of a row's capacity have so many bits.
constexpr int kBits = 20;

/// `bytes` as a fraction of the capacity, rounded down so that the bound stays
/// valid.
int64_t part(int64_t bytes, int64_t capacity) {
  return (std::min(bytes, int64_t{1} << kBits * 2) << kBits) / capacity;
}

int64_t share(int64_t multiplier, int64_t bytes, int64_t capacity) {
  // What does not fit by itself is in no assignment.
  int64_t most = int64_t{1} << kBits;
  return multiplier * std::min(part(bytes, capacity), most) >> kBits;
}

} // namespace

CapacityMultipliers::CapacityMultipliers(const AssignmentProblem &problem,
                                         const std::vector<CapacityRow> &rows)
    : problem(&problem), rows(&rows), made(valuesMade(problem)) {
  set(std::vector<int64_t>(rows.size(), 0));
}

void CapacityMultipliers::set(const std::vector<int64_t> &multipliers) {
  layoutCosts.clear();
  candidateCosts.clear();
  total = 0;
  for (const AssignedValue &value : problem->values)
    layoutCosts.emplace_back(value.layouts.size(), 0);
  for (const AssignedOperation &operation : problem->operations)
    candidateCosts.emplace_back(operation.candidates.size(), 0);
  for (size_t r = 0; r < rows->size(); ++r) {
    const CapacityRow &row = (*rows)[r];
    if (row.capacity <= 0 || multipliers[r] == 0)
      continue;
    for (CandidateBytes term : row.candidates)
      candidateCosts[row.at][term.candidate] +=
          share(multipliers[r], term.bytes, row.capacity);
    for (const LayoutBytes &term : row.layouts)
      layoutCosts[term.layout.value][term.layout.layout] +=
          share(multipliers[r], term.bytes, row.capacity);
    total += multipliers[r] - share(multipliers[r], row.fixed, row.capacity);
  }
}

std::vector<double>
CapacityMultipliers::excess(const std::vector<int> &candidates) const {
  std::vector<std::vector<bool>> exists;
  for (const AssignedValue &value : problem->values) {
    exists.emplace_back(value.layouts.size(), false);
    if (value.madeBy < 0)
      exists.back()[0] = true;
  }
  for (size_t i = 0; i < candidates.size(); ++i) {
    const Candidate &candidate =
        problem->operations[i].candidates[candidates[i]];
    for (size_t r = 0; r < made[i].size(); ++r)
      exists[made[i][r]][candidate.resultLayouts[r]] = true;
    for (ValueLayout operand : candidate.operandLayouts)
      exists[operand.value][operand.layout] = true;
  }
  std::vector<double> all;
  for (const CapacityRow &row : *rows) {
    int64_t bytes = row.fixed;
    for (CandidateBytes term : row.candidates)
      if (term.candidate == candidates[row.at])
        bytes += term.bytes;
    for (const LayoutBytes &term : row.layouts)
      if (exists[term.layout.value][term.layout.layout])
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
