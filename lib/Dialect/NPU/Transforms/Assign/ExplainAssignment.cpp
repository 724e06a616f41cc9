// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// npu-explain-assignment: why a value gets the layouts that it gets.

#include "AssignOptions.h"
#include "FitScratchpads.h"
#include "npu/Analysis/TargetOf.h"
#include "npu/Assignment/Alternatives.h"
#include "npu/Dialect/NPU/IR/TensorPlacement.h"
#include "npu/Dialect/NPU/Transforms/Assign/Passes.h"
#include "npu/Support/Naming.h"
#include "npu/Support/Report.h"

#include "mlir/Dialect/Arith/IR/Arith.h"
#include "mlir/Dialect/Linalg/IR/Linalg.h"
#include "mlir/Dialect/Tensor/IR/Tensor.h"

#include <fmt/format.h>

using namespace mlir;

namespace npu {

#define GEN_PASS_DEF_EXPLAINASSIGNMENT
#include "npu/Dialect/NPU/Transforms/Assign/Passes.h.inc"

namespace {

/// The layout, or that there is none.
std::string nameOfPlace(RankedTensorType type) {
  return isDistributed(type) ? nameOfLayout(type) : "DDR";
}

class Explanation {
public:
  /// `name` is the value's in the function as it was before.
  Explanation(const SolvedFunction &solved, const Target &target,
              std::string name)
      : function(solved.function), assignment(solved.assignment),
        target(target), name(std::move(name)) {}

  std::string of(int value) {
    head(value);
    maker(value);
    copies(value);
    readers(value);
    return std::move(text);
  }

private:
  template <typename... Args>
  void line(fmt::format_string<Args...> format, Args &&...args) {
    text += fmt::format(format, std::forward<Args>(args)...) + "\n";
  }

  std::string nameOf(int operation) const {
    Operation *op = function.operations[operation];
    return fmt::format("'{}' at {}", op->getName().getStringRef().str(),
                       nameOfLocation(op->getLoc()));
  }

  const OperationCandidate &chosenCandidate(int operation) const {
    return *function.candidates[operation][assignment.candidates[operation]];
  }

  int producedLayout(int value) const {
    const AssignedValue &assigned = function.problem.values[value];
    if (assigned.madeBy < 0)
      return 0;
    auto result = cast<OpResult>(function.values[value]);
    RankedTensorType type =
        chosenCandidate(assigned.madeBy).results[result.getResultNumber()];
    const auto &layouts = function.layouts[value];
    return static_cast<int>(llvm::find(layouts, type) - layouts.begin());
  }

  void head(int value) {
    std::string type;
    llvm::raw_string_ostream(type) << withLayout(
        cast<RankedTensorType>(function.values[value].getType()), {});
    line("{} : {}, in function @{} on {}", name, type,
         FunctionOpInterface(function.function).getName().str(), target.name);
    line("  the whole function takes {} cycles, {}", assignment.cost,
         assignment.isProved()
             ? "which is proved to be the least"
             : fmt::format("and no assignment less than {}", assignment.bound));
  }

  void maker(int value) {
    int operation = function.problem.values[value].madeBy;
    if (operation < 0) {
      line("  it is there from the beginning, in {}",
           nameOfPlace(function.layouts[value][0]));
      return;
    }
    auto number = cast<OpResult>(function.values[value]).getResultNumber();
    line("  made by {}:", nameOf(operation));
    for (const Alternative &other :
         Alternatives(function.problem, assignment).of(operation)) {
      const OperationCandidate &candidate =
          *function.candidates[operation][other.candidate];
      std::string cost =
          other.candidate == assignment.candidates[operation] ? "chosen"
          : other.cost
              ? fmt::format("{:+} cycles in all, everything else as it is",
                            *other.cost - assignment.cost)
              : "forbidden: " + other.forbidden;
      line("    {}: {} cycles, makes {}; {}",
           function.problem.operations[operation]
               .candidates[other.candidate]
               .what,
           candidate.cost, nameOfPlace(candidate.results[number]), cost);
    }
  }

  void copies(int value) {
    int made = producedLayout(value);
    for (int layout : assignment.layouts[value]) {
      std::string name = nameOfPlace(function.layouts[value][layout]);
      if (layout == made)
        line("  exists in {}, as it is made", name);
      else
        line("  exists in {}, brought there for {} cycles", name,
             function.problem.values[value].moves[made][layout]);
    }
  }

  void readers(int value) {
    for (int reader = 0; reader < static_cast<int>(function.operations.size());
         ++reader) {
      const AssignedOperation &op = function.problem.operations[reader];
      for (ValueLayout operand :
           op.candidates[assignment.candidates[reader]].operandLayouts)
        if (function.values[operand.value] == function.values[value])
          line("  read by {} in {}: it runs as '{}' for {} cycles, at least {} "
               "with any candidate",
               nameOf(reader),
               nameOfPlace(function.layouts[operand.value][operand.layout]),
               op.candidates[assignment.candidates[reader]].what,
               op.candidates[assignment.candidates[reader]].cost,
               std::ranges::min_element(op.candidates, {}, &Candidate::cost)
                   ->cost);
    }
  }

  const FunctionProblem &function;
  const Assignment &assignment;
  const Target &target;
  std::string name;
  std::string text;
};

struct ExplainAssignmentPass
    : impl::ExplainAssignmentBase<ExplainAssignmentPass> {
  using ExplainAssignmentBase::ExplainAssignmentBase;

  LogicalResult initializeOptions(
      StringRef text,
      llvm::function_ref<LogicalResult(const llvm::Twine &)> fail) override {
    if (failed(ExplainAssignmentBase::initializeOptions(text, fail)) ||
        failed(verifyStatesRead(getArgument(), text, fail)))
      return failure();
    return verifyTargetOption(target.hasValue(), target, fail);
  }

  void runOnOperation() override {
    ModuleOp module = getOperation();
    FailureOr<AssignSettings> settings = readSettings(
        module, {strategy, tiles, target, states, bytePrice, splitReductions,
                 /*host=*/false, storage});
    if (failed(settings))
      return signalPassFailure();
    // The search changes the function where layouts are pinned. Values are
    // found by the names that they had before.
    OwningOpRef<ModuleOp> copy = module.clone();
    SmallVector<Value> asked;
    for (FunctionOpInterface function : functionsOf(*copy))
      asked.push_back(valueIn(function));
    if (failed(prepare(*copy, *settings)))
      return signalPassFailure();
    FailureOr<std::deque<SolvedFunction>> all =
        assignFunctions(*copy, functionsOf(*copy), *settings);
    if (failed(all))
      return signalPassFailure();
    bool isThere = false;
    std::string text;
    for (auto [solved, found] : llvm::zip_equal(*all, asked)) {
      if (!found)
        continue;
      isThere = true;
      auto number = solved.function.numberOf.find(found);
      text +=
          number == solved.function.numberOf.end()
              ? value + " has one value everywhere, or none, and is made "
                        "wherever it is read\n"
              : Explanation(solved, settings->target, value).of(number->second);
    }
    if (!isThere) {
      mlir::emitError(module.getLoc())
          << "npu-explain-assignment: expected value=NAME with a tensor's name "
             "in a dump, such as %0 or %arg0, got '"
          << value << "'";
      return signalPassFailure();
    }
    if (failed(writeReport(module, getArgument(), outputFile, text)))
      signalPassFailure();
  }

private:
  Value valueIn(FunctionOpInterface function) const {
    ValueNames names(function);
    for (Value candidate : tensorValues(function))
      if (names.of(candidate) == value)
        return candidate;
    return {};
  }
};

} // namespace
} // namespace npu
