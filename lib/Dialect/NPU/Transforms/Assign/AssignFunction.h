// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// Solves the assignment problem of one function.

#ifndef NPU_LIB_DIALECT_NPU_TRANSFORMS_ASSIGN_ASSIGNFUNCTION_H
#define NPU_LIB_DIALECT_NPU_TRANSFORMS_ASSIGN_ASSIGNFUNCTION_H

#include "npu/Analysis/Candidates/FunctionProblem.h"
#include "npu/Assignment/LeastCost.h"
#include "npu/Assignment/ProblemJson.h"

namespace npu {

/// The search strategy.
struct Strategy {
  /// least, greedy, beam, duplicate or rows.
  std::string name;
  /// Of least: the most partial assignments between two operations.
  int64_t states = 0;
  /// What a byte counts that DDR moves or that a tile receives from another
  /// one, in millicycles, besides the time that it takes.
  int64_t bytePrice = 0;
  /// Of least: SearchLimits::isQuick and looksAhead, and a known lower bound.
  bool isQuick = false;
  bool looksAhead = true;
  int64_t bound = 0;
};

/// Whether there is a strategy of that name.
bool isStrategy(llvm::StringRef name);

/// "least, greedy, beam, duplicate or rows"
llvm::StringRef strategyNames();

/// A solution of the problem of a function within capacity rows.
struct FunctionPlan {
  std::vector<CapacityRow> memory;
  /// The values of the problem with these rows, where views are kept; else
  /// those of the problem without rows.
  std::vector<AssignedValue> values;
  Assignment assignment;
  SearchRecord record;
  /// How `memory` counts views.
  ViewBytes views = ViewBytes::Counted;
  /// No plan costs less, within as many bytes or fewer, however views count.
  int64_t bound = 0;
  /// The cost with the price of bytes.
  int64_t priced = 0;
};

/// A problem and its solution.
struct SolvedFunction {
  FunctionProblem function;
  Assignment assignment;
  SearchRecord record;
  /// Where the host runs what tiles could: how many operations, and what the
  /// function costs where it runs none of them; nothing where that does not
  /// fit.
  int64_t onHost = 0;
  std::optional<int64_t> costOnTiles = std::nullopt;
};

/// The solutions of one strategy for the problem of one function, by the
/// capacity of the scratchpads. They depend on this capacity alone, and not on
/// the device.
class FunctionPlans {
public:
  /// More than any program takes.
  static constexpr int64_t kUnlimited = int64_t{1} << 61;

  FunctionPlans(mlir::FunctionOpInterface function, const Target &target,
                const ProblemOptions &options, const Strategy &strategy);

  /// Fails where no search can begin with the problem.
  const Result<> &checked() const { return check; }

  /// What calls take on each tile while they run, by operation.
  void setCalled(std::map<int, std::vector<int64_t>> bytes) {
    made.called = std::move(bytes);
  }

  /// Whether the function is small enough that a wide search is affordable for
  /// each of many capacities.
  bool isSmall() const;

  /// The solution within scratchpads of so many bytes; an error of the search.
  Result<FunctionPlan, NoAssignment> within(int64_t bytes);

  /// The same with a narrower search, for one solution of many. `bound` is a
  /// lower bound, from solutions within more bytes.
  Result<FunctionPlan, NoAssignment> withinQuickly(int64_t bytes,
                                                   int64_t bound);

  /// The same with a search that keeps one partial assignment, and does not
  /// look ahead.
  Result<FunctionPlan, NoAssignment> withinGreedily(int64_t bytes);

  /// Of the solutions that cost the same as this one, which is that within
  /// `bytes`, the one within the least bytes: the same for all `bytes` between.
  FunctionPlan smallestLike(FunctionPlan plan, int64_t bytes);

  /// The most bytes that the plan takes by the capacity rows, without limit:
  /// any smaller limit gives another plan.
  int64_t bytesCounted(const FunctionPlan &plan);

  /// The most bytes that one operation of the plan takes by itself, a lower
  /// bound of what the program takes.
  int64_t bytesAlone(const FunctionPlan &plan);

  /// An operation and the candidate with which it takes the least bytes by
  /// itself.
  struct LargestOperation {
    int number = 0;
    int candidate = 0;
    int64_t bytes = 0;
  };
  /// What each operation takes at least by itself, in program order.
  std::vector<LargestOperation> leastAlone();
  /// The operation that takes most by itself, with any candidate.
  LargestOperation largestAlone();

  /// The function's problem with the plan's capacity rows. With `bytes`, these
  /// are replaced by rows of what each operation takes by itself, and the bound
  /// is that of a search within them: for a plan that fits although the
  /// capacity rows, which count more than is live, exceed `bytes`.
  SolvedFunction take(FunctionPlan plan, std::optional<int64_t> bytes = {});

  const FunctionProblem &problem() const { return made; }

private:
  Result<FunctionPlan, NoAssignment> within(int64_t bytes, Strategy strategy,
                                            int64_t bound);
  Result<FunctionPlan, NoAssignment> search(ViewBytes views, int64_t bytes,
                                            const Strategy &strategy);
  /// `priced` becomes the cost with the price of bytes.
  Result<Assignment, NoAssignment>
  solve(const Strategy &strategy, SearchRecord &record, int64_t &priced) const;
  /// Gives the problem the rows of scratchpads of so many bytes, and takes all
  /// rows from it.
  void limit(int64_t bytes, ViewBytes views);
  void removeLimits();
  /// Moves the rows from the problem to a plan.
  void moveLimitsTo(FunctionPlan &plan);

  FunctionProblem made;
  /// The values as they were built, while rows that keep views have changed
  /// those of the problem.
  std::optional<std::vector<AssignedValue>> valuesBuilt;
  int64_t tiles;
  Strategy strategy;
  Result<> check;
};

/// Warns of the operations that no tile does a part of, and remarks what was
/// chosen and what each operation's next best candidate would have cost, and
/// which storage kind each tensor of rank 4 has and why.
void tellAssignment(const SolvedFunction &solved, const Target &target,
                    const ProblemOptions &options);

} // namespace npu

#endif // NPU_LIB_DIALECT_NPU_TRANSFORMS_ASSIGN_ASSIGNFUNCTION_H
