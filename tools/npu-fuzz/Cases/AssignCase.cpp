// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// A function whose layouts are assigned. Different where legalization changes
// what was assigned, or where the report of the assignment is not true.
// Fine, with a message, where nothing fits the scratchpads.

#include "npu-fuzz/Cases/CaseRun.h"

#include "npu/Analysis/Candidates/MemoryOrders.h"
#include "npu/Analysis/Costs/DoneByEngine.h"
#include "npu/Analysis/Costs/EngineOrders.h"
#include "npu/Analysis/Costs/FunctionCosts.h"
#include "npu/Analysis/TargetOf.h"
#include "npu/Assignment/Alternatives.h"
#include "npu/Assignment/Baselines.h"
#include "npu/Assignment/LeastCost.h"
#include "npu/Assignment/ProblemJson.h"
#include "npu/Conversion/BufferProgram.h"
#include "npu/Dialect/NPU/IR/TensorPlacement.h"
#include "npu/Execution/Jit/ToExecutable.h"
#include "npu/Placement/Scratchpad/PackBuffers.h"
#include "npu/Support/Naming.h"

#include "mlir/Dialect/Func/IR/FuncOps.h"
#include "llvm/Support/FileSystem.h"
#include "llvm/Support/FileUtilities.h"
#include "llvm/Support/MathExtras.h"
#include "llvm/Support/MemoryBuffer.h"

#include <fmt/format.h>

using namespace mlir;

namespace npu {
namespace {

/// Whether scratchpads of this case hold every value of the function many times
/// over, so that there is no reason not to find an assignment of least cost.
bool surelyFits(ModuleOp module, const AssignTask &task) {
  int64_t bytes = 0;
  auto count = [&](Type type) {
    if (auto tensor = dyn_cast<RankedTensorType>(type))
      bytes += static_cast<int64_t>(llvm::alignTo(
          bufferBytes(tensor.getElementType(), tensor.getShape()).value_or(0),
          kBufferAlignment));
  };
  module.walk([&](Operation *op) {
    llvm::for_each(op->getResultTypes(), count);
    for (Region &region : op->getRegions())
      llvm::for_each(region.getArgumentTypes(), count);
  });
  constexpr int64_t leastOfBuiltin = 1000000;
  int64_t capacity = task.scratchpadBytes;
  return task.strategy == "least" &&
         (capacity > 0 ? capacity : leastOfBuiltin) > 16 * bytes;
}

Result<> wrong(const AssignmentReport &report, const std::string &what) {
  return Error{"@" + report.name + ": " + what};
}

/// Whether so few assignments are possible that all of them are tried.
bool isTried(const AssignmentProblem &problem) {
  constexpr size_t mostOperations = 6, mostAssignments = 20000;
  size_t assignments = 1;
  for (const AssignedOperation &op : problem.operations) {
    assignments *= op.candidates.size();
    if (assignments > mostAssignments)
      return false;
  }
  return problem.operations.size() <= mostOperations;
}

Result<> checkBaseline(const AssignmentReport &report, std::string_view name,
                       const Result<Assignment, NoAssignment> &least,
                       const Result<Assignment, NoAssignment> &baseline) {
  if (!baseline)
    return Success();
  if (Result<> invalid = checkAssignment(report.problem, *baseline); !invalid)
    return wrong(report, fmt::format("{}: {}", name, invalid.error().message));
  if (least && baseline->cost >= least->cost)
    return Success();
  return wrong(report,
               fmt::format("{} finds {} cycles, and least {}", name,
                           baseline->cost,
                           least ? std::to_string(least->cost)
                                 : "nothing: " + least.error().message));
}

Result<> checkTried(const AssignmentReport &report,
                    const Result<Assignment, NoAssignment> &least) {
  Result<Assignment, NoAssignment> tried = assignByTrying(report.problem);
  if (static_cast<bool>(tried) != static_cast<bool>(least))
    return wrong(report, fmt::format("trying {} an assignment, and least {}",
                                     tried ? "finds" : "does not find",
                                     least ? "does" : "does not"));
  if (tried && (tried->cost != least->cost || !least->isProved()))
    return wrong(report,
                 fmt::format("trying finds {} cycles, and least {}, at least "
                             "{} by proof",
                             tried->cost, least->cost, least->bound));
  // One partial assignment is not enough for a proof, but for a bound.
  Result<Assignment, NoAssignment> narrow = assignLeast(report.problem, {1});
  if (tried && narrow &&
      (narrow->bound > tried->cost || narrow->cost < tried->cost))
    return wrong(report,
                 fmt::format("trying finds {} cycles, and least with one state "
                             "{}, at least {} by proof",
                             tried->cost, narrow->cost, narrow->bound));
  return Success();
}

/// What is said of equal layers that were solved once is so of each of them.
Result<> checkLayers(const AssignmentReport &report,
                     const Result<Assignment, NoAssignment> &least) {
  Result<Assignment, NoAssignment> walked =
      assignLeast(report.problem, {.layersOnce = false});
  if (walked && !least)
    return wrong(report, "walking through all layers finds an assignment, and "
                         "solving them once finds none: " +
                             least.error().message);
  if (walked && (least->bound > walked->cost || walked->bound > least->cost))
    return wrong(
        report,
        fmt::format("layers solved once cost {} cycles, at least {} by "
                    "proof, and walking through them finds {}, at "
                    "least {} by proof",
                    least->cost, least->bound, walked->cost, walked->bound));
  return Success();
}

/// What one operation's other candidates would have cost is no less, and so is
/// what the assignment costs through DDR where it is proved.
Result<> checkAlternatives(const AssignmentReport &report) {
  const Assignment &solution = *report.solution;
  Alternatives alternatives(report.problem, solution);
  for (size_t op = 0; op < report.problem.operations.size(); ++op)
    for (const Alternative &other : alternatives.of(static_cast<int>(op)))
      if (other.cost && *other.cost < solution.bound)
        return wrong(report,
                     fmt::format("candidate {} of operation {} would cost {} "
                                 "in all, below the bound {}",
                                 other.candidate, op, *other.cost,
                                 solution.bound));
  return Success();
}

Result<> checkReport(const AssignmentReport &report, llvm::StringRef strategy) {
  if (!report.solution)
    return wrong(report, "no solution is reported");
  const AssignmentProblem &problem = report.problem;
  if (Result<> invalid = checkProblem(problem); !invalid)
    return wrong(report, "problem: " + invalid.error().message);
  Result<Assignment, NoAssignment> least = assignLeast(problem);
  const std::pair<std::string, Result<Assignment, NoAssignment>> found[] = {
      {"least", least},
      {strategy.str(), *report.solution},
      {"greedy", assignGreedily(problem)},
      {"beam", assignByBeam(problem)},
      {"duplicate", assignAs(problem, candidatesCalled("duplicated"))},
      {"rows", assignAs(problem, candidatesByRows)}};
  for (const auto &[name, assignment] : found)
    if (Result<> bad = checkBaseline(report, name, least, assignment); !bad)
      return bad;
  if (Result<> bad = checkLayers(report, least); !bad)
    return bad;
  if (isTried(problem))
    if (Result<> bad = checkTried(report, least); !bad)
      return bad;
  return checkAlternatives(report);
}

/// Whether the layout of a value that an operation makes is prescribed.
bool prescribesLayouts(func::FuncOp function) {
  WalkResult walk = function.walk([](Operation *op) {
    bool isPrescribed = llvm::any_of(op->getResultTypes(), [](Type type) {
      auto tensor = dyn_cast<RankedTensorType>(type);
      return tensor && isDistributed(tensor);
    });
    return isPrescribed ? WalkResult::interrupt() : WalkResult::advance();
  });
  return walk.wasInterrupted();
}

/// Whether an engine does something of an operation at no cost.
bool usesEngines(func::FuncOp function, const CostFigures &figures) {
  WalkResult walk = function.walk([&](Operation *op) {
    return doneByEngine(op, figures).isAny() ? WalkResult::interrupt()
                                             : WalkResult::advance();
  });
  return walk.wasInterrupted();
}

/// Where layouts of `original` are prescribed, an assignment may count steps
/// that an output stage does for nothing (docs/design/0026-fusion.md).
/// Elsewhere and where engines do nothing so, both sums are equal.
Result<> checkCosts(ModuleOp module, ModuleOp original,
                    const AssignmentReport &report) {
  FailureOr<std::optional<Target>> target = targetOf(module, "");
  auto function = module.lookupSymbol<func::FuncOp>(report.name);
  if (failed(target) || !*target || !function)
    return wrong(report, "there is no such function, or no target");
  FunctionCosts costs = costsOf(function, **target);
  if (costs.total == report.solution->cost ||
      (costs.total < report.solution->cost &&
       prescribesLayouts(original.lookupSymbol<func::FuncOp>(report.name)) &&
       usesEngines(function, (*target)->costs)))
    return Success();
  return wrong(report,
               fmt::format("the solution costs {} cycles, and npu-print-costs "
                           "adds up to {}: {} of operations, {} of moves",
                           report.solution->cost, costs.total,
                           costs.ofOperations, costs.ofMovements));
}

bool hasInnermost(RankedTensorType type, ArrayRef<int64_t> channels) {
  Permutation order = getOrder(type);
  return withChannelsInnermost(type, order, channels) == order;
}

/// Where the device asks for it, contractions on tiles read and write channels
/// innermost.
Result<> checkOrders(ModuleOp module) {
  FailureOr<std::optional<Target>> target = targetOf(module, "");
  if (failed(target) || !*target || !(*target)->channelsInnermost)
    return Success();
  std::string wrong;
  module.walk([&](Operation *op) {
    // What has no entries is not computed.
    if (op->getNumResults() != 1 || !takesLayout(op->getResult(0).getType()) ||
        !isDistributed(op->getResult(0).getType()))
      return;
    std::optional<EngineOrders> orders = engineOrdersOf(op);
    if (!orders)
      return;
    bool isFine = hasInnermost(rankedType(op->getResult(0)), orders->result);
    for (auto [operand, channels] :
         llvm::zip_equal(op->getOperands(), orders->operands))
      isFine &= channels.empty() || hasInnermost(rankedType(operand), channels);
    if (!isFine && wrong.empty())
      wrong = fmt::format("'{}' at {} has other dimensions than channels "
                          "innermost in memory",
                          op->getName().getStringRef().str(),
                          nameOfLocation(op->getLoc()));
  });
  if (!wrong.empty())
    return Error{wrong};
  return Success();
}

/// Nothing wrong, or what of `text`, the JSON that npu-assign-distributions
/// wrote of `module`, is not so: a problem that checkProblem refuses, a
/// solution that checkAssignment refuses, a cost that npu-print-costs adds up
/// to another sum; a least cost above that of a baseline, or another than that
/// of all assignments where these are few; a contraction of `module` without
/// channels innermost in memory where the device asks for them, and no kernel
/// may ask for another order.
Result<> checkAssigned(ModuleOp module, ModuleOp original, llvm::StringRef text,
                       const AssignTask &task) {
  Result<std::vector<AssignmentReport>> reports = readAssignmentJson(text);
  if (!reports)
    return Error{"the report cannot be read: " + reports.error().message};
  size_t functions = 0;
  module.walk(
      [&](func::FuncOp function) { functions += !function.isExternal(); });
  if (reports->size() != functions)
    return Error{fmt::format("{} functions are reported, of {}",
                             reports->size(), functions)};
  for (const AssignmentReport &report : *reports) {
    if (Result<> bad = checkReport(report, task.strategy); !bad)
      return bad;
    if (Result<> bad = checkCosts(module, original, report); !bad)
      return bad;
  }
  return task.kernels.empty() ? checkOrders(module) : Result<>(Success());
}

} // namespace

CaseResult runAssignCase(const MadeFunction &function,
                         const CaseOptions &options) {
  const AssignTask &task = *function.assign;
  Session session;
  CaseRun how(function, options);
  llvm::SmallString<128> report;
  if (llvm::sys::fs::createTemporaryFile("npu-fuzz", "json", report))
    return session.refused("making a file for the report");
  llvm::FileRemover remover(report);
  how.passes.back().options += " report=" + report.str().str();
  // npu-compile does so itself.
  if (!function.tosa)
    how.passes.push_back({"npu-run-in-steps"});
  OwningOpRef<ModuleOp> original, module;
  if (auto ended = legalizeCase(session, function, how, original, module))
    return original && session.isTooLarge() && !surelyFits(*original, task)
               ? CaseResult{Outcome::Fine, "nothing fits the scratchpads"}
               : *ended;
  if (auto wrong = checkLegal(session, *module))
    return *wrong;
  auto json = llvm::MemoryBuffer::getFile(report);
  if (Result<> wrong = checkAssigned(*module, *original,
                                     json ? (*json)->getBuffer() : "", task);
      !wrong)
    return {Outcome::Different, "the report: " + wrong.error().message,
            "the report"};
  if (!task.kernels.empty() && failed(run(*module, {"npu-outline-host"})))
    return session.refused("making functions of what the host runs");
  if (failed(toExecutable(*module)))
    return session.refused("lowering to tiles");
  CaseResult result = runAgainst(session, *module, *original, how, options);
  // Capacity rows count tensors, and not what lowering adds to them.
  if (result.outcome == Outcome::Refused && !surelyFits(*original, task) &&
      session.find(RefusalKind::BuffersTooLarge))
    return {Outcome::Fine, kBuffersDoNotFit, kBuffersDoNotFit};
  return result;
}

} // namespace npu
