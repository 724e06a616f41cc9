// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// npu-assign-distributions: chooses the layout of every tensor that has none.

#include "ApplyAssignment.h"
#include "AssignOptions.h"
#include "FitScratchpads.h"
#include "npu/Analysis/Candidates/StorageKinds.h"
#include "npu/Analysis/TargetOf.h"
#include "npu/Assignment/ProblemJson.h"
#include "npu/Dialect/NPU/IR/NPUDialect.h"
#include "npu/Dialect/NPU/Transforms/Assign/Passes.h"
#include "npu/Dialect/NPU/Transforms/Verify/VerifyDistributions.h"
#include "npu/Support/Report.h"

#include "mlir/Dialect/Affine/IR/AffineOps.h"
#include "mlir/Dialect/Arith/IR/Arith.h"
#include "mlir/Dialect/Linalg/IR/Linalg.h"
#include "mlir/Dialect/Tensor/IR/Tensor.h"

using namespace mlir;

namespace npu {

#define GEN_PASS_DEF_ASSIGNDISTRIBUTIONS
#include "npu/Dialect/NPU/Transforms/Assign/Passes.h.inc"

namespace {

struct AssignDistributionsPass
    : impl::AssignDistributionsBase<AssignDistributionsPass> {
  using AssignDistributionsBase::AssignDistributionsBase;

  LogicalResult initializeOptions(
      StringRef text,
      llvm::function_ref<LogicalResult(const llvm::Twine &)> fail) override {
    if (failed(AssignDistributionsBase::initializeOptions(text, fail)) ||
        failed(verifyStatesRead(getArgument(), text, fail)))
      return failure();
    return verifyTargetOption(target.hasValue(), target, fail);
  }

  void runOnOperation() override {
    ModuleOp module = getOperation();
    FailureOr<AssignSettings> settings =
        readSettings(module, {strategy, tiles, target, states, bytePrice,
                              splitReductions, host, storage, inSteps});
    // Preparing takes out what nobody reads.
    ReductionNumbers numbers;
    module->walk<WalkOrder::PreOrder>(
        [&](Operation *op) { numbers.count(op); });
    if (failed(settings) || failed(prepare(module, *settings)))
      return signalPassFailure();
    // Nothing is written before everything is solved.
    FailureOr<std::deque<SolvedFunction>> solved =
        assignFunctions(module, functionsOf(module), *settings);
    if (failed(solved))
      return signalPassFailure();
    if (!report.empty() && failed(write(*solved, *settings)))
      return signalPassFailure();
    for (SolvedFunction &function : *solved) {
      tellAssignment(function, settings->target, settings->options);
      applyAssignment(function.function, function.assignment, numbers);
    }
    // Types say it from here on.
    dropStorageAsked(module);
  }

private:
  LogicalResult write(std::deque<SolvedFunction> &solved,
                      const AssignSettings &settings) {
    std::vector<AssignmentReport> reports;
    for (SolvedFunction &function : solved) {
      nameLayouts(function.function);
      sayStorage(function.function, settings);
      reports.push_back({nameOfProblem(function), settings.target.name,
                         function.function.problem, function.assignment});
    }
    return writeReport(getOperation(), getArgument(), report,
                       assignmentJson(reports));
  }

  /// Writes to each value which storage kind it has, and why.
  static void sayStorage(FunctionProblem &function,
                         const AssignSettings &settings) {
    const ProblemOptions &options = settings.options;
    for (const StorageDecision &decided :
         explainStorage(function.function, settings.target,
                        options.kernels.get(), function.storage))
      if (auto it = function.numberOf.find(decided.value);
          it != function.numberOf.end())
        function.problem.values[it->second].storage =
            decided.text(options.kernels->storageRules());
  }

  static std::string nameOfProblem(SolvedFunction &solved) {
    return solved.function.function.getName().str();
  }
};

} // namespace
} // namespace npu
