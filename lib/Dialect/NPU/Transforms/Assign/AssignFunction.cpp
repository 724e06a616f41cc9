// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception

#include "AssignFunction.h"
#include "npu/Assignment/Baselines.h"
#include "npu/Dialect/NPU/IR/TensorPlacement.h"
#include "npu/Placement/Scratchpad/PackBuffers.h"
#include "npu/Support/Naming.h"
#include "npu/Target/Count.h"

#include "llvm/Support/MathExtras.h"

#include <utility>

using namespace mlir;

namespace npu {
namespace {

Result<Assignment> solve(const AssignmentProblem &problem,
                         const Strategy &strategy,
                         SearchRecord *record = nullptr) {
  if (strategy.name == "greedy")
    return assignGreedily(problem);
  if (strategy.name == "beam")
    return assignByBeam(problem);
  if (strategy.name == "duplicate")
    return assignAs(problem, waysCalled("duplicated"));
  if (strategy.name == "rows")
    return assignAs(problem, waysByRows);
  return assignLeast(problem, {static_cast<size_t>(strategy.states)}, record);
}

/// The problem where what tiles receive from each other has its price.
AssignmentProblem priced(const FunctionProblem &function, int64_t price) {
  AssignmentProblem problem = function.problem;
  auto raise = [&](int64_t &cost, int64_t bytes) {
    cost = (Count{cost} + dividedUp(Count{bytes} * Count{price}, 1000)).value;
  };
  for (auto [operation, received] :
       llvm::zip_equal(problem.operations, function.receivedByWays))
    for (auto [way, bytes] : llvm::zip_equal(operation.ways, received))
      raise(way.cost, bytes);
  for (auto [value, received] :
       llvm::zip_equal(problem.values, function.received))
    for (auto [costs, bytes] : llvm::zip_equal(value.moves, received))
      for (auto [cost, count] : llvm::zip_equal(costs, bytes))
        if (cost != kImpossible)
          raise(cost, count);
  return problem;
}

/// Solves the problem with prices, and tells what the answer costs without.
Result<Assignment> solvePriced(const FunctionProblem &function,
                               const Strategy &strategy) {
  AssignmentProblem dearer = priced(function, strategy.bytePrice);
  if (Check wrong = checkProblem(dearer))
    return *wrong;
  Result<Assignment> found = solve(dearer, strategy);
  if (!found)
    return found;
  Result<Assignment> told = completeWays(function.problem, found->ways);
  if (!told)
    return told;
  Result<Assignment> least = solve(function.problem, strategy);
  if (least)
    told->bound = std::min(least->bound, told->cost);
  return told;
}

/// The bytes that tensors take on the fullest tile.
int64_t bytesOf(ArrayRef<RankedTensorType> types) {
  int64_t bytes = 0;
  for (RankedTensorType type : types) {
    const Placement *placement = type ? getPlacement(type) : nullptr;
    if (!placement)
      continue;
    int64_t size = toBytes(maxTileFootprint(*placement),
                           elementBits(type.getElementType()).value_or(64));
    bytes += llvm::alignTo(size, kBufferAlignment);
  }
  return bytes;
}

Result<Assignment> search(SolvedFunction &solved, const Strategy &strategy) {
  if (strategy.bytePrice > 0)
    return solvePriced(solved.function, strategy);
  return solve(solved.function.problem, strategy, &solved.record);
}

/// The bytes that a way's own tensors take on the fullest tile.
int64_t bytesOf(const OperationWay &way) {
  int64_t between = 0;
  for (const auto &types : heldBetween(way))
    between = std::max(between, bytesOf(types));
  return bytesOf(way.results) + bytesOf(way.operands) + between;
}

/// The operation that a solver's message begins with; 0 where it names none.
size_t operationIn(StringRef message) {
  size_t number = 0;
  if (message.consume_front("operation "))
    message.consumeInteger(10, number);
  return number;
}

LogicalResult reportNothingFits(const FunctionProblem &function,
                                const Target &target, const Strategy &strategy,
                                StringRef message) {
  size_t number = operationIn(message);
  if (number >= function.operations.size())
    number = 0;
  const OperationWay *least = nullptr;
  for (const OperationWay *way : function.ways[number])
    if (!least || bytesOf(*way) < bytesOf(*least))
      least = way;
  Operation *op = function.operations[number];
  InFlightDiagnostic error = mlir::emitError(op->getLoc());
  if (strategy.name != "least")
    error << "with strategy=" << strategy.name << " ";
  // A search that gave up has not shown that there is none.
  bool gaveUp = message.contains("nothing that fits was found");
  error << "no assignment of layouts "
        << (gaveUp ? "was found that fits" : "fits") << " the scratchpads of "
        << target.name << ", " << nameOfBytes(target.scratchpadBytes)
        << " each: '" << op->getName() << "' takes at least "
        << nameOfBytes(least ? bytesOf(*least) : 0) << " of one"
        << (least ? " (" + least->what + ")" : "")
        << ", beside what other operations need then";
  if (gaveUp)
    error.attachNote() << "there may be one: states=N, now " << strategy.states
                       << ", looks further";
  error.attachNote() << "more tiles, larger scratchpads, a shorter prompt or "
                        "narrower elements would help";
  return failure();
}

} // namespace

bool isStrategy(StringRef name) {
  return llvm::is_contained(
      ArrayRef<StringRef>{"least", "greedy", "beam", "duplicate", "rows"},
      name);
}

StringRef strategyNames() { return "least, greedy, beam, duplicate or rows"; }

FailureOr<SolvedFunction> solveFunction(FunctionOpInterface function,
                                        const Target &target,
                                        const ProblemOptions &options,
                                        const Strategy &strategy) {
  SolvedFunction solved;
  solved.function = problemOf(function, target, options);
  if (Check wrong = checkProblem(solved.function.problem))
    return function.emitError()
           << "no assignment of layouts can be searched: " << wrong->message;
  Result<Assignment> assignment = search(solved, strategy);
  // Where memory may be short, views that take none, and are not copied if they
  // can be made as they are read, may be better. The cheaper answer counts, so
  // that least is no dearer than any other strategy.
  if (!solved.function.problem.memory.empty()) {
    AssignmentProblem withCopies = solved.function.problem;
    SearchRecord record = std::exchange(solved.record, {});
    keepViews(solved.function, target, options);
    Result<Assignment> stayed = search(solved, strategy);
    if (stayed && (!assignment || stayed->cost < assignment->cost)) {
      assignment = std::move(stayed);
    } else {
      solved.function.problem = std::move(withCopies);
      solved.record = record;
    }
  }
  if (!assignment)
    return reportNothingFits(solved.function, target, strategy,
                             assignment.error());
  solved.assignment = std::move(*assignment);
  return solved;
}

} // namespace npu
