// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// Layouts for a function by solving its assignment problem.

#ifndef NPU_LIB_DIALECT_NPU_TRANSFORMS_ASSIGN_ASSIGNFUNCTION_H
#define NPU_LIB_DIALECT_NPU_TRANSFORMS_ASSIGN_ASSIGNFUNCTION_H

#include "npu/Analysis/Ways/FunctionProblem.h"
#include "npu/Assignment/LeastCost.h"
#include "npu/Assignment/ProblemJson.h"

namespace npu {

/// How an assignment is searched.
struct Strategy {
  /// least, greedy, beam, duplicate or rows.
  std::string name;
  /// Of least: the most partial assignments between two operations.
  int64_t states = 0;
  /// Thousandths of a cycle that a byte costs which a tile receives from
  /// another one, besides the time that it takes.
  int64_t bytePrice = 0;
  /// Of least: for one answer of many, and a bound that is known
  /// (SearchLimits).
  bool isQuick = false;
  int64_t bound = 0;
};

/// Whether there is a strategy of that name.
bool isStrategy(llvm::StringRef name);

/// "least, greedy, beam, duplicate or rows"
llvm::StringRef strategyNames();

/// An answer to the problem of a function, within rows of memory.
struct FunctionPlan {
  /// The problem with these rows.
  AssignmentProblem problem;
  Assignment assignment;
  SearchRecord record;
  /// How `problem` counts views.
  ViewBytes views = ViewBytes::Counted;
  /// No plan costs less, within as many bytes or fewer, however views count.
  int64_t bound = 0;
};

/// A problem and what a strategy found.
struct SolvedFunction {
  FunctionProblem function;
  Assignment assignment;
  SearchRecord record;
};

/// The answers of one strategy to the problem of one function, by the bytes
/// that rows of memory allow. They depend on these bytes alone, and not on the
/// device's scratchpads.
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

  /// Whether the function has so few operations that a search for one of many
  /// answers hardly misses any.
  bool isSmall() const;

  /// The answer within scratchpads of so many bytes; an error of the search.
  Result<FunctionPlan, NoAssignment> within(int64_t bytes);

  /// The same with a narrower search, for one of many answers. None is cheaper
  /// than `bound`, which answers within more bytes have given.
  Result<FunctionPlan, NoAssignment> withinQuickly(int64_t bytes, int64_t bound);

  /// The same, where a search keeps one partial assignment.
  Result<FunctionPlan, NoAssignment> withinGreedily(int64_t bytes);

  /// Of the answers that cost as much as this one, which is that within
  /// `bytes`, the one within the least bytes that allow any of them: the same
  /// for all `bytes` between.
  FunctionPlan smallestLike(FunctionPlan plan, int64_t bytes);

  /// The most bytes that the plan takes by the rows of memory, without limit:
  /// any smaller limit gives another plan.
  int64_t bytesCounted(const FunctionPlan &plan);

  /// The most bytes that an operation takes by itself, as the plan runs it: the
  /// program takes no less.
  int64_t bytesAlone(const FunctionPlan &plan);

  /// The least bytes that an operation takes by itself, in the way that takes
  /// least.
  struct LargestOperation {
    int number = 0;
    int way = 0;
    int64_t bytes = 0;
  };
  /// The operation that takes most by itself, whatever way it runs.
  LargestOperation largestAlone();

  /// The function's problem with the plan's rows of memory. With `bytes`,
  /// these are replaced by rows of what each operation takes by itself, and the
  /// bound is that of a search within them: a plan that fits although rows of
  /// memory, which count more than is in use, say otherwise.
  SolvedFunction take(FunctionPlan plan, std::optional<int64_t> bytes = {});

  const FunctionProblem &problem() const { return made; }

private:
  Result<FunctionPlan, NoAssignment> within(int64_t bytes, Strategy strategy, int64_t bound);
  Result<FunctionPlan, NoAssignment> search(ViewBytes views, int64_t bytes,
                              const Strategy &strategy);
  Result<Assignment, NoAssignment> solve(const Strategy &strategy,
                           SearchRecord &record) const;

  FunctionProblem made;
  /// The problem as it was built.
  AssignmentProblem unlimited;
  int64_t tiles;
  Strategy strategy;
  Result<> check;
};

/// Warns of the operations that no tile does a part of, and remarks what was
/// chosen and what each operation's next best way would have cost.
void tellAssignment(const SolvedFunction &solved, const Target &target);

} // namespace npu

#endif // NPU_LIB_DIALECT_NPU_TRANSFORMS_ASSIGN_ASSIGNFUNCTION_H
