// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception

#include "npu/Assignment/Baselines.h"

#include <algorithm>

namespace npu {
namespace {

/// What it costs that the value, made in form `from`, exists in all `forms`.
int64_t costOfForms(const AssignedValue &value, int from,
                    const std::vector<int> &forms) {
  const std::vector<int64_t> &moves = value.moves[from];
  auto found = std::ranges::find(value.forms, "ddr");
  int ddr = found == value.forms.end()
                ? -1
                : static_cast<int>(found - value.forms.begin());
  bool canStore = ddr >= 0 && ddr != from && moves[ddr] != kImpossible;
  bool isStored = std::ranges::binary_search(forms, ddr);
  int64_t cost = 0;
  for (int form : forms) {
    bool loads = canStore && form != ddr && moves[form] > 0 &&
                 value.moves[ddr][form] != kImpossible;
    cost += loads ? value.moves[ddr][form] : moves[form];
    if (loads && !isStored) {
      cost += moves[ddr];
      isStored = true;
    }
  }
  return cost;
}

} // namespace

int64_t costThroughDdr(const AssignmentProblem &problem,
                       const Assignment &assignment) {
  auto made = valuesMade(problem);
  std::vector<int> madeForms(problem.values.size(), 0);
  int64_t cost = 0;
  for (size_t i = 0; i < made.size(); ++i) {
    const Way &way = problem.operations[i].ways[assignment.ways[i]];
    cost += way.cost;
    for (size_t r = 0; r < made[i].size(); ++r)
      madeForms[made[i][r]] = way.makes[r];
  }
  for (size_t v = 0; v < problem.values.size(); ++v)
    cost += costOfForms(problem.values[v], madeForms[v], assignment.forms[v]);
  return cost;
}

} // namespace npu
