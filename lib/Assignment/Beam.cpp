// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception

#include "npu/Assignment/Baselines.h"

#include "Eviction.h"
#include "FittingWays.h"

#include <fmt/format.h>

#include <algorithm>
#include <tuple>

namespace npu {
namespace {

/// A partial assignment continued by a way.
struct Candidate {
  int64_t cost = 0;
  int partial = 0;
  int way = 0;
};

class Beam {
public:
  Beam(const AssignmentProblem &problem, size_t width)
      : problem(problem), width(std::max<size_t>(width, 1)), index(problem) {
    partials.emplace_back(index);
  }

  Result<Assignment, NoAssignment> run() {
    for (size_t i = 0; i < problem.operations.size(); ++i) {
      step(static_cast<int>(i));
      if (partials.empty())
        return NoAssignment{fmt::format("operation {}: no way of it fits in "
                                        "any of {} partial assignments",
                                        i, width),
                            static_cast<int>(i)};
    }
    return completeWays(problem, partials.front().allWays());
  }

private:
  void step(int i) {
    std::vector<Candidate> candidates;
    for (size_t p = 0; p < partials.size(); ++p)
      addCandidates(static_cast<int>(p), i, candidates);
    // The first of equals, so that results do not depend on the machine.
    std::ranges::sort(candidates, {}, [](const Candidate &candidate) {
      return std::tie(candidate.cost, candidate.partial, candidate.way);
    });
    std::vector<Prefix> next;
    for (const Candidate &candidate : candidates) {
      if (next.size() == width)
        break;
      Prefix partial = partials[candidate.partial];
      partial.choose(i, candidate.way);
      if (!Eviction(index, partial, i).run())
        continue;
      // What was chosen again can be what another one had.
      bool isKnown = std::ranges::any_of(next, [&](const Prefix &other) {
        return other.cost() == partial.cost() &&
               other.allWays() == partial.allWays();
      });
      if (!isKnown)
        next.push_back(std::move(partial));
    }
    std::ranges::sort(next, {}, [](const Prefix &partial) {
      return std::pair(partial.cost(), partial.allWays());
    });
    partials = std::move(next);
  }

  void addCandidates(int number, int i, std::vector<Candidate> &candidates) {
    for (size_t w = 0; w < problem.operations[i].ways.size(); ++w)
      if (auto cost = partials[number].costWith(i, static_cast<int>(w)))
        candidates.push_back({*cost, number, static_cast<int>(w)});
  }

  const AssignmentProblem &problem;
  size_t width;
  ProblemIndex index;
  std::vector<Prefix> partials;
};

} // namespace

Result<Assignment, NoAssignment> assignByBeam(const AssignmentProblem &problem,
                                size_t width) {
  return withFittingWays(problem, [&](const AssignmentProblem &fitting) {
    return Beam(fitting, width).run();
  });
}

} // namespace npu
