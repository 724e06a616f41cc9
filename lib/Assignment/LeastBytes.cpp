// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception

#include "LeastBytes.h"

#include <algorithm>
#include <limits>

namespace npu {
namespace {

/// Of readers with different layouts so many are asked.
constexpr size_t kMostReaders = 8;

void sortUnique(std::vector<int> &numbers) {
  std::ranges::sort(numbers);
  auto rest = std::ranges::unique(numbers);
  numbers.erase(rest.begin(), rest.end());
}

int64_t bytesOf(const std::map<int, int64_t> &layouts, int layout) {
  auto found = layouts.find(layout);
  return found == layouts.end() ? 0 : found->second;
}

int64_t leastOf(const std::map<int, int64_t> &bytes,
                const std::vector<int> &layouts) {
  int64_t least = std::numeric_limits<int64_t>::max();
  for (int layout : layouts)
    least = std::min(least, bytesOf(bytes, layout));
  return layouts.empty() ? 0 : least;
}

} // namespace

LeastBytes::LeastBytes(const AssignmentProblem &problem,
                       const std::vector<std::vector<int>> &made,
                       const std::vector<std::vector<int>> &candidates,
                       bool chargesMade)
    : problem(problem), made(made), candidates(candidates),
      chargesMade(chargesMade), makes(problem.values.size()),
      reads(problem.values.size()) {
  for (size_t v = 0; v < problem.values.size(); ++v)
    if (problem.values[v].madeBy < 0)
      makes[v] = {0};
  if (!chargesMade)
    return;
  for (size_t i = 0; i < candidates.size(); ++i) {
    // The layouts of each value that every candidate reads in one at least.
    std::map<int, std::vector<int>> read;
    std::map<int, size_t> readers;
    for (int w : candidates[i]) {
      const Candidate &candidate = problem.operations[i].candidates[w];
      for (size_t r = 0; r < made[i].size(); ++r)
        makes[made[i][r]].push_back(candidate.resultLayouts[r]);
      std::vector<int> values;
      for (ValueLayout operand : candidate.operandLayouts) {
        read[operand.value].push_back(operand.layout);
        values.push_back(operand.value);
      }
      sortUnique(values);
      for (int value : values)
        ++readers[value];
    }
    for (auto &[value, layouts] : read) {
      sortUnique(layouts);
      auto &all = reads[value];
      if (readers[value] == candidates[i].size() && all.size() < kMostReaders &&
          std::ranges::find(all, layouts) == all.end())
        all.push_back(std::move(layouts));
    }
  }
  for (std::vector<int> &layouts : makes)
    sortUnique(layouts);
}

int64_t LeastBytes::withLayouts(int value, const Charge &charge,
                                const std::vector<int> &layouts) const {
  int64_t bytes = 0;
  for (int layout : layouts)
    bytes += bytesOf(charge.layouts, layout);
  int64_t least = std::numeric_limits<int64_t>::max();
  for (int layout : makes[value]) {
    bool isUsed = std::ranges::find(layouts, layout) != layouts.end();
    least = std::min(least, isUsed ? 0 : bytesOf(charge.layouts, layout));
  }
  return std::max(charge.least, bytes + (makes[value].empty() ? 0 : least));
}

/// The layouts of each value in which it surely exists where the candidate
/// runs.
std::map<int, std::vector<int>> LeastBytes::layoutsUsed(int i, int w) const {
  const Candidate &candidate = problem.operations[i].candidates[w];
  std::map<int, std::vector<int>> used;
  for (ValueLayout operand : candidate.operandLayouts)
    used[operand.value].push_back(operand.layout);
  for (auto &[value, layouts] : used)
    sortUnique(layouts);
  return used;
}

LeastBytes::Row LeastBytes::of(const CapacityRow &row) const {
  std::map<int, Charge> charges;
  for (const LayoutBytes &term : row.layouts)
    charges[term.layout.value].layouts.emplace(term.layout.layout, term.bytes);
  int64_t all = row.fixed;
  for (auto &[value, charge] : charges) {
    charge.least = leastOf(charge.layouts, makes[value]);
    for (const std::vector<int> &layouts : reads[value])
      charge.least = std::max(charge.least, leastOf(charge.layouts, layouts));
    all += charge.least;
  }
  Row found;
  found.bytes = std::numeric_limits<int64_t>::max();
  int64_t leastCandidate = found.bytes;
  std::vector<int> touched;
  for (int w : candidates[row.at]) {
    auto term =
        std::ranges::find(row.candidates, w, &CandidateBytes::candidate);
    int64_t bytes = term == row.candidates.end() ? 0 : term->bytes;
    leastCandidate = std::min(leastCandidate, bytes);
    bytes += all;
    for (const auto &[value, layouts] : layoutsUsed(row.at, w))
      if (auto charge = charges.find(value); charge != charges.end()) {
        bytes +=
            withLayouts(value, charge->second, layouts) - charge->second.least;
        touched.push_back(value);
      }
    const std::vector<int> &results = made[row.at];
    for (size_t r = 0; r < results.size(); ++r)
      if (auto charge = charges.find(results[r]); charge != charges.end()) {
        int layout = problem.operations[row.at].candidates[w].resultLayouts[r];
        bytes += std::max(charge->second.least,
                          bytesOf(charge->second.layouts, layout)) -
                 charge->second.least;
        touched.push_back(results[r]);
      }
    found.withCandidates.push_back(bytes);
    found.bytes = std::min(found.bytes, bytes);
  }
  sortUnique(touched);
  for (const LayoutBytes &term : row.layouts) {
    const Charge &charge = charges[term.layout.value];
    // What a candidate of the operation is charged for may be this layout.
    bool isTouched = std::ranges::binary_search(touched, term.layout.value);
    found.withLayouts.push_back(
        (isTouched || !chargesMade ? all + leastCandidate : found.bytes) -
        charge.least +
        withLayouts(term.layout.value, charge, {term.layout.layout}));
  }
  return found;
}

} // namespace npu
