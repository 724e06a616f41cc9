// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception

#include "AssignFunction.h"
#include "npu/Assignment/Baselines.h"
#include "npu/Target/Count.h"

#include "llvm/Support/MathExtras.h"

#include <algorithm>
#include <optional>
#include <utility>

using namespace mlir;

namespace npu {
namespace {

/// The most operations of a small function.
constexpr size_t kFewOperations = 32;

/// A search for one of many answers to a small function has one in so many of
/// the strategy's states, and to a larger one at most so many: enough to prove
/// most answers.
constexpr int64_t kPartOfStates = 64, kStatesOfLarge = 16;

Result<Assignment, NoAssignment> solveAs(const AssignmentProblem &problem,
                                         const Strategy &strategy,
                                         SearchRecord *record = nullptr) {
  if (strategy.name == "greedy")
    return assignGreedily(problem);
  if (strategy.name == "beam")
    return assignByBeam(problem);
  if (strategy.name == "duplicate")
    return assignAs(problem, candidatesCalled("duplicated"));
  if (strategy.name == "rows")
    return assignAs(problem, candidatesByRows);
  SearchLimits limits;
  limits.states = static_cast<size_t>(strategy.states);
  limits.isQuick = strategy.isQuick;
  limits.looksAhead = strategy.looksAhead;
  limits.bound = strategy.bound;
  return assignLeast(problem, limits, record);
}

/// The problem where bytes that move have their price.
AssignmentProblem withPrices(const FunctionProblem &function, int64_t price) {
  AssignmentProblem problem = function.problem;
  auto raise = [&](int64_t &cost, int64_t bytes) {
    cost = (Count{cost} + dividedUp(Count{bytes} * Count{price}, 1000)).value;
  };
  for (auto [operation, moved] :
       llvm::zip_equal(problem.operations, function.movedByCandidates))
    for (auto [candidate, bytes] : llvm::zip_equal(operation.candidates, moved))
      raise(candidate.cost, bytes);
  for (auto [value, moved] :
       llvm::zip_equal(problem.values, function.movedBytes))
    for (auto [costs, bytes] : llvm::zip_equal(value.moves, moved))
      for (auto [cost, count] : llvm::zip_equal(costs, bytes))
        if (cost != kImpossible)
          raise(cost, count);
  return problem;
}

/// Solves the problem with prices, and tells what the answer costs with them,
/// as `priced`, and without.
Result<Assignment, NoAssignment> solvePriced(const FunctionProblem &function,
                                             const Strategy &strategy,
                                             int64_t &priced) {
  AssignmentProblem dearer = withPrices(function, strategy.bytePrice);
  if (Result<> wrong = checkProblem(dearer); !wrong)
    return NoAssignment{wrong.error().message};
  Result<Assignment, NoAssignment> found = solveAs(dearer, strategy);
  if (!found)
    return found;
  priced = found->cost;
  Result<Assignment, NoAssignment> told =
      completeAssignment(function.problem, found->candidates);
  if (!told)
    return told;
  Result<Assignment, NoAssignment> least = solveAs(function.problem, strategy);
  if (least)
    told->bound = std::min(least->bound, told->cost);
  return told;
}

/// The bytes of a capacity row in an assignment.
int64_t bytesIn(const CapacityRow &row, const Assignment &assignment) {
  Count bytes{row.fixed};
  for (CandidateBytes term : row.candidates)
    if (term.candidate == assignment.candidates[row.at])
      bytes += Count{term.bytes};
  for (const LayoutBytes &term : row.layouts)
    if (llvm::is_contained(assignment.layouts[term.layout.value],
                           term.layout.layout))
      bytes += Count{term.bytes};
  return bytes.value;
}

int64_t mostBytesIn(ArrayRef<CapacityRow> rows, const Assignment &assignment) {
  int64_t most = 0;
  for (const CapacityRow &row : rows)
    most = std::max(most, bytesIn(row, assignment));
  return most;
}

} // namespace

bool isStrategy(StringRef name) {
  return llvm::is_contained(
      ArrayRef<StringRef>{"least", "greedy", "beam", "duplicate", "rows"},
      name);
}

StringRef strategyNames() { return "least, greedy, beam, duplicate or rows"; }

FunctionPlans::FunctionPlans(FunctionOpInterface function, const Target &target,
                             const ProblemOptions &options,
                             const Strategy &strategy)
    : made(problemOf(function, target, options)), tiles(options.tiles),
      strategy(strategy), check(checkProblem(made.problem)) {}

Result<Assignment, NoAssignment> FunctionPlans::solve(const Strategy &strategy,
                                                      SearchRecord &record,
                                                      int64_t &priced) const {
  if (strategy.bytePrice > 0)
    return solvePriced(made, strategy, priced);
  Result<Assignment, NoAssignment> found =
      solveAs(made.problem, strategy, &record);
  if (found)
    priced = found->cost;
  return found;
}

void FunctionPlans::limit(int64_t bytes, ViewBytes views) {
  removeLimits();
  if (views == ViewBytes::Kept)
    valuesBuilt = made.problem.values;
  limitScratchpads(made, tiles, bytes, views);
}

void FunctionPlans::removeLimits() {
  made.problem.memory.clear();
  if (valuesBuilt)
    made.problem.values = *std::exchange(valuesBuilt, std::nullopt);
}

void FunctionPlans::moveLimitsTo(FunctionPlan &plan) {
  plan.memory = std::move(made.problem.memory);
  if (valuesBuilt)
    plan.values = std::move(made.problem.values);
  removeLimits();
}

Result<FunctionPlan, NoAssignment>
FunctionPlans::search(ViewBytes views, int64_t bytes,
                      const Strategy &strategy) {
  limit(bytes, views);
  FunctionPlan plan;
  plan.views = views;
  Result<Assignment, NoAssignment> found =
      solve(strategy, plan.record, plan.priced);
  if (!found)
    return found.error();
  plan.assignment = std::move(*found);
  plan.bound = plan.assignment.bound;
  moveLimitsTo(plan);
  return plan;
}

bool FunctionPlans::isSmall() const {
  return made.operations.size() <= kFewOperations;
}

Result<FunctionPlan, NoAssignment> FunctionPlans::within(int64_t bytes) {
  return within(bytes, strategy, /*bound=*/0);
}

Result<FunctionPlan, NoAssignment> FunctionPlans::withinQuickly(int64_t bytes,
                                                                int64_t bound) {
  Strategy narrower = strategy;
  narrower.states = isSmall()
                        ? llvm::divideCeilSigned(strategy.states, kPartOfStates)
                        : std::min(strategy.states, kStatesOfLarge);
  narrower.isQuick = !isSmall();
  return within(bytes, narrower, bound);
}

Result<FunctionPlan, NoAssignment>
FunctionPlans::withinGreedily(int64_t bytes) {
  Strategy greedy = strategy;
  greedy.states = 1;
  greedy.isQuick = true;
  greedy.looksAhead = false;
  return within(bytes, greedy, /*bound=*/0);
}

Result<FunctionPlan, NoAssignment>
FunctionPlans::within(int64_t bytes, Strategy strategy, int64_t bound) {
  // What is cheapest with prices need not be cheapest without.
  strategy.bound = strategy.bytePrice > 0 ? 0 : bound;
  Result<FunctionPlan, NoAssignment> counted =
      search(ViewBytes::Counted, bytes, strategy);
  if (counted && counted->memory.empty())
    return counted;
  // Where memory may be short, views that take none, and are not copied if they
  // can be made as they are read, may be better. The cheaper answer counts, so
  // that least is no dearer than any other strategy.
  Result<FunctionPlan, NoAssignment> kept =
      search(ViewBytes::Kept, bytes, strategy);
  // Where one of them found nothing, there may be a cheaper one all the same.
  if (counted)
    counted->bound = kept ? std::min(counted->bound, kept->bound) : bound;
  if (kept)
    kept->bound = counted ? counted->bound : bound;
  if (kept && (!counted || kept->priced < counted->priced))
    return kept;
  return counted;
}

FunctionPlan FunctionPlans::smallestLike(FunctionPlan plan, int64_t bytes) {
  auto isLike = [&](const Result<FunctionPlan, NoAssignment> &other) {
    return other && other->priced == plan.priced;
  };
  int64_t least = bytesCounted(plan);
  while (least > 0) {
    Result<FunctionPlan, NoAssignment> next =
        withinQuickly(least - 1, plan.bound);
    if (!isLike(next))
      break;
    least = bytesCounted(*next);
  }
  Result<FunctionPlan, NoAssignment> smallest =
      withinQuickly(least, plan.bound);
  if (!isLike(smallest))
    return plan;
  // It answers the problem within `bytes`, whose bound is known.
  limit(bytes, smallest->views);
  moveLimitsTo(plan);
  plan.views = smallest->views;
  plan.assignment.candidates = std::move(smallest->assignment.candidates);
  plan.assignment.layouts = std::move(smallest->assignment.layouts);
  return plan;
}

int64_t FunctionPlans::bytesCounted(const FunctionPlan &plan) {
  limit(/*bytes=*/0, plan.views);
  return mostBytesIn(made.problem.memory, plan.assignment);
}

int64_t FunctionPlans::bytesAlone(const FunctionPlan &plan) {
  removeLimits();
  limitToOwnBytes(made, tiles, /*capacity=*/0);
  return mostBytesIn(made.problem.memory, plan.assignment);
}

std::vector<FunctionPlans::LargestOperation> FunctionPlans::leastAlone() {
  removeLimits();
  limitToOwnBytes(made, tiles, /*capacity=*/0);
  // By operation and candidate, the bytes on the fullest tile.
  std::map<int, std::vector<int64_t>> alone;
  for (const CapacityRow &row : made.problem.memory) {
    std::vector<int64_t> &candidates = alone[row.at];
    candidates.resize(made.problem.operations[row.at].candidates.size());
    std::vector<int64_t> here(candidates.size(), row.fixed);
    for (CandidateBytes term : row.candidates)
      here[term.candidate] += term.bytes;
    for (auto [most, bytes] : llvm::zip_equal(candidates, here))
      most = std::max(most, bytes);
  }
  std::vector<LargestOperation> operations;
  for (const auto &[number, candidates] : alone) {
    auto least = std::ranges::min_element(candidates);
    operations.push_back(
        {number, static_cast<int>(least - candidates.begin()), *least});
  }
  return operations;
}

FunctionPlans::LargestOperation FunctionPlans::largestAlone() {
  LargestOperation largest;
  for (const LargestOperation &each : leastAlone())
    if (each.bytes > largest.bytes)
      largest = each;
  return largest;
}

SolvedFunction FunctionPlans::take(FunctionPlan plan,
                                   std::optional<int64_t> bytes) {
  SolvedFunction solved;
  solved.assignment = std::move(plan.assignment);
  solved.record = plan.record;
  removeLimits();
  if (bytes) {
    limitToOwnBytes(made, tiles, *bytes);
    SearchRecord record;
    int64_t priced = 0;
    Result<Assignment, NoAssignment> least = solve(strategy, record, priced);
    solved.assignment.bound =
        least ? std::min(least->bound, solved.assignment.cost) : 0;
  } else {
    made.problem.memory = std::move(plan.memory);
    if (plan.views == ViewBytes::Kept)
      made.problem.values = std::move(plan.values);
  }
  solved.function = std::move(made);
  return solved;
}

} // namespace npu
