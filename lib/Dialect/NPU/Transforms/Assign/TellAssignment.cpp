// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// What users are told of an assignment: warnings and remarks.

#include "AssignFunction.h"
#include "npu/Analysis/Candidates/StorageKinds.h"
#include "npu/Analysis/Choices/HostFallback.h"
#include "npu/Assignment/Alternatives.h"
#include "npu/Dialect/NPU/IR/TensorPlacement.h"
#include "npu/Dialect/NPU/Transforms/Verify/ReportHostFallbacks.h"
#include "npu/ExternalModels/Tensor/CacheMemory.h"
#include "npu/Support/Decisions.h"
#include "npu/Support/NoteNode.h"

#include "mlir/Interfaces/ControlFlowInterfaces.h"
#include "mlir/Interfaces/FunctionInterfaces.h"

#include <fmt/format.h>

using namespace mlir;

namespace npu {
namespace {

/// The bytes of the tensors that an operation reads and writes.
int64_t bytesTouched(Operation *op) {
  int64_t bytes = 0;
  auto add = [&](Type type) {
    if (auto tensor = dyn_cast<RankedTensorType>(type);
        tensor && tensor.hasStaticShape())
      bytes +=
          bufferBytes(tensor.getElementType(), tensor.getShape()).value_or(0);
  };
  llvm::for_each(op->getOperandTypes(), add);
  llvm::for_each(op->getResultTypes(), add);
  return bytes;
}

/// Why an operation, which is not one of tiles, has its tensors in DDR; empty
/// where there is nothing to be said. Of what is in DDR in any case,
/// reportHostFallbacksInDdr tells.
std::string whyInDdr(Operation *op, const std::string &why) {
  if (isViewInDdr(op) || bytesTouched(op) == 0 ||
      llvm::any_of(op->getResultTypes(), isDistributed) ||
      isa<RegionBranchOpInterface>(op) || hostFallbackInDdr(op) ||
      addsToCache(op))
    return {};
  return why;
}

void warn(const FunctionProblem &function) {
  // A warning is no failure.
  (void)reportHostFallbacksInDdr(function.function, HostFallbackPolicy::Warn);
  for (auto [op, reason] :
       llvm::zip_equal(function.operations, function.whyInDdr)) {
    std::string why = whyInDdr(op, reason);
    if (why.empty())
      continue;
    InFlightDiagnostic warning = mlir::emitWarning(op->getLoc());
    warning << "'" << op->getName()
            << "' falls back to the host, by itself: " << why << "; "
            << nameOfBytes(bytesTouched(op)) << " are read and written there";
    noteNode(warning, op);
  }
}

std::string describeChoice(const AssignmentProblem &problem,
                           const Assignment &assignment,
                           Alternatives &alternatives, int number) {
  const AssignedOperation &op = problem.operations[number];
  const Candidate &chosen = op.candidates[assignment.candidates[number]];
  std::string text = fmt::format("'{}' runs as '{}' at {} cycles", op.name,
                                 chosen.what, chosen.cost);
  const Alternative *next = nullptr;
  size_t forbidden = 0;
  std::string why;
  std::vector<Alternative> others = alternatives.of(number);
  for (const Alternative &other : others) {
    if (other.candidate == assignment.candidates[number])
      continue;
    if (!other.cost) {
      ++forbidden;
      why = other.forbidden;
    } else if (!next || *other.cost < *next->cost) {
      next = &other;
    }
  }
  if (next)
    text += fmt::format("; the next best, '{}', would cost {} more in all",
                        op.candidates[next->candidate].what,
                        *next->cost - assignment.cost);
  if (forbidden)
    text +=
        fmt::format("; {} other {} forbidden: {}", forbidden,
                    forbidden == 1 ? "candidate is" : "candidates are", why);
  return text;
}

void remark(const SolvedFunction &solved) {
  const FunctionProblem &function = solved.function;
  Alternatives alternatives(function.problem, solved.assignment);
  for (size_t number = 0; number < function.operations.size(); ++number) {
    if (function.candidates[number].size() < 2)
      continue;
    Operation *op = function.operations[number];
    remarkDone("assign", op, 0, [&] {
      const OperationCandidate &candidate =
          *function.candidates[number][solved.assignment.candidates[number]];
      return describeChoice(function.problem, solved.assignment, alternatives,
                            static_cast<int>(number)) +
             (candidate.split ? roundingInParts(op, *matchReduction(op)) : "");
    });
  }
}

/// What it costs that the host runs what tiles could.
void remarkHost(const SolvedFunction &solved) {
  FunctionOpInterface function = solved.function.function;
  if (solved.onHost == 0)
    return;
  auto host =
      mlir::remark::analysis(function.getLoc(), decision("host", function));
  if (!host)
    return;
  host << mlir::remark::reason(
              "{0}",
              fmt::format(
                  "the host runs {} operation{} that tiles could run: {} "
                  "cycles, {}",
                  solved.onHost, solved.onHost == 1 ? "" : "s",
                  solved.assignment.cost,
                  solved.costOnTiles
                      ? fmt::format("and {} with all of them on tiles",
                                    *solved.costOnTiles)
                      : "and with all of them on tiles nothing fits"))
       << mlir::remark::metric("cycles", solved.assignment.cost);
}

void remarkSummary(const SolvedFunction &solved, const Target &target) {
  FunctionOpInterface function = solved.function.function;
  const Assignment &assignment = solved.assignment;
  auto total = mlir::remark::analysis(function.getLoc(),
                                      decision("assignment", function));
  if (!total)
    return;
  std::string proof =
      assignment.isProved()
          ? "proved least"
          : fmt::format(
                "at least {} by proof, {:.2f} % apart", assignment.bound,
                100.0 *
                    static_cast<double>(assignment.cost - assignment.bound) /
                    static_cast<double>(std::max<int64_t>(assignment.cost, 1)));
  if (solved.record.equalLayers > 0)
    proof +=
        fmt::format("; {} equal layers of {} operations solved once",
                    solved.record.equalLayers, solved.record.operationsEach);
  if (ConsideredSteps steps = solved.function.considered; steps.judged > 0)
    proof +=
        fmt::format("; {} plans of steps judged, {} costed with their splits",
                    steps.judged, steps.costed);
  total << mlir::remark::reason(
               "{0}", fmt::format("{} operations and {} values on {}: {} "
                                  "cycles, {}",
                                  solved.function.operations.size(),
                                  solved.function.values.size(), target.name,
                                  assignment.cost, proof))
        << mlir::remark::metric("cycles", assignment.cost)
        << mlir::remark::metric("bound", assignment.bound);
}

void remarkStorage(const FunctionProblem &problem, const Target &target,
                   const ProblemOptions &options) {
  FunctionOpInterface function = problem.function;
  const StorageRules &rules = options.kernels->storageRules();
  for (const StorageDecision &decided : explainStorage(
           function, target, options.kernels.get(), problem.storage)) {
    if (cast<RankedTensorType>(decided.value.getType()).getRank() != 4)
      continue;
    Operation *at = decided.value.getDefiningOp();
    if (auto told = mlir::remark::analysis(
            decided.value.getLoc(),
            decision("storage", at ? at : function.getOperation())))
      told << mlir::remark::reason("{0}", decided.text(rules));
  }
}

} // namespace

void tellAssignment(const SolvedFunction &solved, const Target &target,
                    const ProblemOptions &options) {
  warn(solved.function);
  if (!isListeningToDecisions(solved.function.function->getContext()))
    return;
  remark(solved);
  remarkHost(solved);
  remarkStorage(solved.function, target, options);
  remarkSummary(solved, target);
}

} // namespace npu
