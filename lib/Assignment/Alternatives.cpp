// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception

#include "npu/Assignment/Alternatives.h"

#include "Forbidden.h"
#include "Prefix.h"

namespace npu {

Alternatives::Alternatives(const AssignmentProblem &problem,
                           const Assignment &assignment)
    : index(std::make_unique<ProblemIndex>(problem)),
      chosen(std::make_unique<Prefix>(*index)) {
  for (size_t i = 0; i < assignment.candidates.size(); ++i)
    chosen->choose(static_cast<int>(i), assignment.candidates[i]);
}

Alternatives::~Alternatives() = default;

Alternative Alternatives::change(int operation, int candidate) {
  Alternative alternative;
  alternative.candidate = candidate;
  chosen->choose(operation, candidate);
  if (!chosen->isPossible())
    alternative.forbidden = chosen->firstImpossible(operation);
  else if (int row = chosen->firstExceeded(); row >= 0)
    alternative.forbidden =
        tooManyBytes(index->rows[row], chosen->bytesIn(row));
  else
    alternative.cost = chosen->cost();
  chosen->takeBack(operation);
  return alternative;
}

std::vector<Alternative> Alternatives::of(int operation) {
  std::vector<Alternative> found;
  int now = chosen->candidate(operation);
  chosen->takeBack(operation);
  auto count =
      static_cast<int>(index->problem.operations[operation].candidates.size());
  for (int candidate = 0; candidate < count; ++candidate)
    found.push_back(change(operation, candidate));
  chosen->choose(operation, now);
  return found;
}

} // namespace npu
