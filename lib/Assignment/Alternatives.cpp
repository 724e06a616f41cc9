// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception

#include "npu/Assignment/Alternatives.h"

#include "Forbidden.h"
#include "Prefix.h"

namespace npu {

Alternatives::Alternatives(const AssignmentProblem &problem,
                           const Assignment &assignment)
    : index(std::make_unique<ProblemIndex>(problem)),
      chosen(std::make_unique<Prefix>(*index)) {
  for (size_t i = 0; i < assignment.ways.size(); ++i)
    chosen->choose(static_cast<int>(i), assignment.ways[i]);
}

Alternatives::~Alternatives() = default;

Alternative Alternatives::change(int operation, int way) {
  Alternative alternative;
  alternative.way = way;
  chosen->choose(operation, way);
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
  int now = chosen->way(operation);
  chosen->takeBack(operation);
  auto count =
      static_cast<int>(index->problem.operations[operation].ways.size());
  for (int way = 0; way < count; ++way)
    found.push_back(change(operation, way));
  chosen->choose(operation, now);
  return found;
}

} // namespace npu
