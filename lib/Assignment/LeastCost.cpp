// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception

#include "npu/Assignment/LeastCost.h"

#include "npu/Assignment/Baselines.h"

#include "EqualLayers.h"
#include "FittingWays.h"
#include "Search.h"

#include <fmt/format.h>

#include <algorithm>

namespace npu {
namespace {

/// Passes that keep so many times more partial assignments than the one before:
/// a narrow one often proves what it finds, and gives a wider one a cost below
/// which to look.
constexpr size_t kWiden = 16;

/// What is not proved with so many is looked at in other ways before it is with
/// more.
constexpr size_t kNarrow = kWiden;

/// The least of a problem of which all ways fit by themselves.
class Widening {
public:
  Widening(const AssignmentProblem &problem, const SearchLimits &limits)
      : problem(problem),
        most(std::clamp<size_t>(limits.allStates / problem.operations.size(), 1,
                                std::max<size_t>(limits.states, 1))),
        layersOnce(limits.layersOnce), isQuick(limits.isQuick), search(problem),
        bound(limits.bound) {}

  Result<Assignment, NoAssignment> run(SearchRecord *record) {
    std::optional<EqualLayers> layers;
    if (layersOnce)
      layers = findEqualLayers(problem, ShortProblem::kKept);
    if (layers)
      solveOnce(*layers);
    if (!isProved())
      improvePrices();
    // Only layers that were solved once have given anything to prove so far.
    if (layers && isProved()) {
      if (record)
        *record = {layers->layers, layers->period};
      return proved();
    }
    // A quick search is the beginning of a longer one: where it has a proof,
    // both find the same.
    if (Result<Success, NoAssignment> error = widen(1, std::min(most, kNarrow)); !error)
      return error.error();
    if (!isProved() && (!isQuick || !best))
      tryOthers();
    if (!isProved() && !isQuick && best) {
      // Rents are looked for where they would have to prove something.
      search.chargeMemory(best->cost);
      bound = std::max(bound, search.bound());
      if (Result<Success, NoAssignment> error = pass(1); !error)
        return error.error();
    }
    if (most > kNarrow)
      if (Result<Success, NoAssignment> error = widen(kNarrow * kWiden, most); !error)
        return error.error();
    if (!best)
      return NoAssignment{fmt::format("operation {}: nothing that fits was "
                                      "found with {} partial assignments",
                                      stuckAt, most),
                          stuckAt, /*isLimited=*/true};
    return proved();
  }

private:
  Assignment proved() {
    best->bound = std::min(bound, best->cost);
    return *best;
  }

  void improvePrices() {
    search.improvePrices(costSoFar());
    bound = std::max(bound, search.bound());
  }

  /// Solves the problem with a few of its equal layers, and looks at what that
  /// says of all of them: the ways by what they cost, the prices by the bound
  /// that they give.
  void solveOnce(const EqualLayers &layers) {
    ShortProblem shorter(problem, layers);
    Widening few(shorter.problem(), SearchLimits{1, 1});
    few.improvePrices();
    for (size_t width = 1; width <= kWiden && !few.isProved(); width *= kWiden)
      if (!few.pass(width))
        return;
    if (!few.best)
      return;
    improve(completeWays(problem, shorter.waysOfWhole(few.best->ways)));
    search.adoptPrices(few.search, shorter);
    bound = std::max(bound, search.bound());
  }

  /// Passes of growing width, until the assignment is proved.
  Result<Success, NoAssignment> widen(size_t first, size_t last) {
    for (size_t width = first; !isProved(); width *= kWiden) {
      if (Result<Success, NoAssignment> error = pass(std::min(width, last)); !error)
        return error;
      if (width >= last)
        break;
    }
    return Success();
  }

  bool isProved() const { return best && bound >= best->cost; }

  /// Fails where there is no assignment.
  Result<Success, NoAssignment> pass(size_t width) {
    Search::Outcome found = search.run(width, costSoFar());
    if (!found.ways.empty())
      improve(completeWays(problem, found.ways));
    stuckAt = found.stuckAt;
    if (!best && found.dropped == Search::kNone)
      return NoAssignment{fmt::format("operation {}: no way of it fits with "
                                      "any choice of ways before it",
                                      found.stuckAt),
                          found.stuckAt};
    // What was left out beside those dropped is no cheaper than the best.
    bound = std::max(bound, std::min(costSoFar(), found.dropped));
    return Success();
  }

  int64_t costSoFar() const { return best ? best->cost : Search::kNone; }

  void improve(const Result<Assignment, NoAssignment> &found) {
    if (found && found->cost < costSoFar())
      best = *found;
  }

  /// What is not proved is at least as good as what others do.
  void tryOthers() {
    improve(assignGreedily(problem));
    improve(assignByBeam(problem));
    improve(assignAs(problem, waysByRows));
    improve(assignAs(problem, waysCalled("duplicated")));
  }

  const AssignmentProblem &problem;
  size_t most;
  bool layersOnce, isQuick;
  Search search;
  int64_t bound;
  std::optional<Assignment> best;
  int stuckAt = -1;
};

} // namespace

Result<Assignment, NoAssignment> assignLeast(const AssignmentProblem &problem,
                               const SearchLimits &limits,
                               SearchRecord *record) {
  if (problem.operations.empty())
    return completeWays(problem, {});
  return withFittingWays(problem, [&](const AssignmentProblem &fitting) {
    return Widening(fitting, limits).run(record);
  });
}

} // namespace npu
