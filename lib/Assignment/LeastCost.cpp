// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception

#include "npu/Assignment/LeastCost.h"

#include "npu/Assignment/Baselines.h"

#include "EqualLayers.h"
#include "FittingCandidates.h"
#include "Search.h"

#include <fmt/format.h>

#include <algorithm>
#include <numeric>

namespace npu {
namespace {

/// Each pass of the search is this many times wider than the one before. A
/// narrow pass often proves what it finds, and otherwise gives the wider one an
/// upper bound to prune with.
constexpr size_t kWiden = 16;

/// Widest pass before the baselines and the capacity multipliers are tried.
constexpr size_t kNarrow = kWiden;

/// A bound is near where no assignment costs less by more than such a part.
constexpr int64_t kNearly = 10000;

/// An assignment that is not proved is improved in windows of so many
/// operations, of which each begins so many after the one before: groups of
/// operations that run in the same steps are shorter.
constexpr size_t kWindow = 16, kWindowStep = 10;
/// The most operations of a problem that is improved so: a window takes a time
/// that grows with all of them.
constexpr size_t kMostInWindows = 256;
/// The most partial assignments that are kept while a window is solved.
constexpr size_t kStatesOfWindow = 256;

/// Solves a problem all of whose candidates fit by themselves.
class Widening {
public:
  Widening(const AssignmentProblem &problem, const SearchLimits &limits)
      : problem(problem),
        most(std::clamp<size_t>(limits.allStates / problem.operations.size(), 1,
                                std::max<size_t>(limits.states, 1))),
        layersOnce(limits.layersOnce), isQuick(limits.isQuick),
        looksAhead(limits.looksAhead), search(problem), bound(limits.bound) {}

  Result<Assignment, NoAssignment> run(SearchRecord *record) {
    std::optional<EqualLayers> layers;
    if (layersOnce)
      layers = findEqualLayers(problem, ShortProblem::kKept);
    if (layers)
      solveOnce(*layers);
    if (!isProved())
      improveDuals();
    // So far only the solution of repeated layers could be proved.
    if (layers && isProved()) {
      if (record)
        *record = {layers->layers, layers->period};
      return proved();
    }
    // A quick search begins like a longer one, so that both find the same where
    // it has a proof.
    if (Result<Success, NoAssignment> widened =
            widen(1, std::min(most, kNarrow));
        !widened)
      return widened.error();
    bool hasTriedOthers = !isNearlyProved();
    if (hasTriedOthers && (!isQuick || !best))
      tryOthers();
    if (!isProved() && !isQuick && best) {
      improveInWindows();
      // The multipliers matter only for a proof, which needs an upper bound.
      if (search.improveMultipliers(best->cost)) {
        bound = std::max(bound, search.bound());
        if (Result<Success, NoAssignment> error = pass(1); !error)
          return error.error();
      }
    }
    if (most > kNarrow)
      if (Result<Success, NoAssignment> error = widen(kNarrow * kWiden, most);
          !error)
        return error.error();
    if (!isProved() && !hasTriedOthers && !isQuick)
      tryOthers();
    if (best && !isProved() && !isQuick)
      improveInWindows();
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

  void improveDuals() {
    search.improveDuals(costSoFar());
    bound = std::max(bound, search.bound());
  }

  /// Solves the problem with a few of its equal layers and applies the solution
  /// to all of them: the candidates give an upper bound, the duals a lower
  /// bound.
  void solveOnce(const EqualLayers &layers) {
    ShortProblem shorter(problem, layers);
    Widening few(shorter.problem(), SearchLimits{1, 1});
    few.improveDuals();
    for (size_t width = 1; width <= kWiden && !few.isProved(); width *= kWiden)
      if (!few.pass(width))
        return;
    if (!few.best)
      return;
    if (!few.isProved() && !isQuick)
      few.improveInWindows();
    improve(completeAssignment(
        problem, shorter.candidatesOfWhole(few.best->candidates)));
    search.adoptDuals(few.search, shorter);
    bound = std::max(bound, search.bound());
  }

  /// Passes of growing width, until the assignment is proved optimal.
  Result<Success, NoAssignment> widen(size_t first, size_t last) {
    for (size_t width = first; !isProved(); width *= kWiden) {
      if (Result<Success, NoAssignment> error = pass(std::min(width, last));
          !error)
        return error;
      if (width >= last)
        break;
    }
    return Success();
  }

  bool isProved() const { return best && bound >= best->cost; }

  /// Whether nothing can be cheaper than the best by more than kNearly: the
  /// baselines, which take as long as a pass, hardly find that.
  bool isNearlyProved() const {
    return best && best->cost - bound <= best->cost / kNearly;
  }

  /// One pass. Fails where there is no assignment.
  Result<Success, NoAssignment> pass(size_t width) {
    Search::Outcome found = search.run(width, costSoFar());
    // A pass that filled the scratchpads too early.
    if (looksAhead && found.candidates.empty() && !best && search.lookAhead())
      found = search.run(width, costSoFar());
    if (!found.candidates.empty())
      improve(completeAssignment(problem, found.candidates));
    stuckAt = found.stuckAt;
    if (!best && found.dropped == Search::kNone)
      return NoAssignment{
          fmt::format(
              "operation {}: no candidate of it fits with any choice of "
              "candidates before it",
              found.stuckAt),
          found.stuckAt};
    // Everything else that was pruned costs at least as much as the best.
    bound = std::max(bound, std::min(costSoFar(), found.dropped));
    if (looksAhead && !isProved())
      search.lookAhead();
    return Success();
  }

  int64_t costSoFar() const { return best ? best->cost : Search::kNone; }

  void improve(const Result<Assignment, NoAssignment> &found) {
    if (found && found->cost < costSoFar())
      best = *found;
  }

  /// The baselines, so that the answer is never worse than theirs.
  void tryOthers() {
    improve(assignGreedily(problem));
    improve(assignByBeam(problem));
    improve(assignAs(problem, candidatesByRows));
    improve(assignAs(problem, candidatesCalled("duplicated")));
  }

  /// Solves windows of operations anew, each with all others as they are, until
  /// no window gets cheaper (Shaw, Using constraint programming and local
  /// search methods to solve vehicle routing problems, 1998). A partial
  /// assignment that has to pay before it saves may be dropped by a pass
  /// through all operations, and is kept by one through a few.
  void improveInWindows() {
    size_t count = problem.operations.size();
    if (count > kMostInWindows)
      return;
    std::vector<size_t> windows;
    for (size_t first = 0;; first += kWindowStep) {
      windows.push_back(first);
      if (first + kWindow >= count)
        break;
    }
    // For how many windows in turn nothing has changed around them.
    size_t unchanged = 0;
    for (size_t next = 0; unchanged < windows.size() && !isProved();
         next = (next + 1) % windows.size(), ++unchanged) {
      size_t first = windows[next];
      if (improveWindow(first, std::min(first + kWindow, count)))
        unchanged = 0;
    }
  }

  /// Whether another choice of the operations of a window is cheaper.
  bool improveWindow(size_t first, size_t end) {
    std::vector<std::vector<int>> candidates;
    for (int candidate : best->candidates)
      candidates.push_back({candidate});
    for (size_t i = first; i < end; ++i) {
      candidates[i].resize(problem.operations[i].candidates.size());
      std::iota(candidates[i].begin(), candidates[i].end(), 0);
    }
    SearchLimits limits;
    limits.states = kStatesOfWindow;
    limits.layersOnce = false;
    limits.isQuick = true;
    limits.looksAhead = false;
    AssignmentProblem window = withCandidates(problem, candidates);
    keepRowsOf(window, first, end);
    Result<Assignment, NoAssignment> found = withFittingCandidates(
        window,
        [&](const AssignmentProblem &fitting) {
          return Widening(fitting, limits).run(nullptr);
        },
        limits.looksAhead);
    if (!found)
      return false;
    for (size_t i = 0; i < candidates.size(); ++i)
      found->candidates[i] = candidates[i][found->candidates[i]];
    int64_t before = best->cost;
    improve(completeAssignment(problem, found->candidates));
    return best->cost < before;
  }

  /// Removes the rows whose bytes do not depend on what a window chooses.
  static void keepRowsOf(AssignmentProblem &problem, size_t first, size_t end) {
    std::vector<bool> isChosen(problem.values.size());
    auto isInside = [&](int operation) {
      return operation >= static_cast<int>(first) &&
             operation < static_cast<int>(end);
    };
    for (size_t value = 0; value < problem.values.size(); ++value)
      isChosen[value] = isInside(problem.values[value].madeBy);
    for (size_t i = first; i < end; ++i)
      for (const Candidate &candidate : problem.operations[i].candidates)
        for (ValueLayout operand : candidate.operandLayouts)
          isChosen[operand.value] = true;
    std::erase_if(problem.memory, [&](const CapacityRow &row) {
      return !isInside(row.at) &&
             std::ranges::none_of(row.layouts, [&](const LayoutBytes &term) {
               return isChosen[term.layout.value];
             });
    });
  }

  const AssignmentProblem &problem;
  size_t most;
  bool layersOnce, isQuick, looksAhead;
  Search search;
  int64_t bound;
  std::optional<Assignment> best;
  int stuckAt = -1;
};

/// Advances to the next combination of candidates; false after the last one.
bool advance(const AssignmentProblem &problem, std::vector<int> &candidates) {
  for (size_t i = 0; i < candidates.size(); ++i) {
    if (++candidates[i] <
        static_cast<int>(problem.operations[i].candidates.size()))
      return true;
    candidates[i] = 0;
  }
  return false;
}

} // namespace

Result<Assignment, NoAssignment> assignLeast(const AssignmentProblem &problem,
                                             const SearchLimits &limits,
                                             SearchRecord *record) {
  if (problem.operations.empty())
    return completeAssignment(problem, {});
  return withFittingCandidates(
      problem,
      [&](const AssignmentProblem &fitting) {
        return Widening(fitting, limits).run(record);
      },
      limits.looksAhead);
}

Result<Assignment, NoAssignment>
assignByTrying(const AssignmentProblem &problem) {
  std::vector<int> candidates(problem.operations.size(), 0);
  Result<Assignment, NoAssignment> best =
      NoAssignment{"no choice of candidates fits"};
  do {
    Result<Assignment, NoAssignment> next =
        completeAssignment(problem, candidates);
    if (next && (!best || next->cost < best->cost))
      best = std::move(next);
  } while (advance(problem, candidates));
  if (best)
    best->bound = best->cost;
  return best;
}

} // namespace npu
