// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception

#include "AssignLeast.h"
#include "../Decisions.h"
#include "ApplyAssignment.h"
#include "PinLayouts.h"
#include "npu/Dialect/NPU/IR/TensorPlacement.h"
#include "npu/Support/Naming.h"

#include <fmt/format.h>

using namespace mlir;

namespace npu {
namespace {

/// The bytes of the tensors that an operation reads and writes.
int64_t bytesTouched(Operation *op) {
  int64_t bytes = 0;
  auto add = [&](Type type) {
    if (auto tensor = dyn_cast<RankedTensorType>(type))
      bytes +=
          bufferBytes(tensor.getElementType(), tensor.getShape()).value_or(0);
  };
  llvm::for_each(op->getOperandTypes(), add);
  llvm::for_each(op->getResultTypes(), add);
  return bytes;
}

/// Warns of operations that no tile does a part of.
void warnOfOperationsInDdr(const FunctionProblem &function) {
  for (auto [op, why] : llvm::zip_equal(function.operations, function.whyInDdr))
    if (!why.empty() && !isViewInDdr(op))
      mlir::emitWarning(op->getLoc())
          << "'" << op->getName() << "' runs in DDR, by itself: " << why << "; "
          << nameOfBytes(bytesTouched(op)) << " are read and written there";
}

} // namespace

LogicalResult assignFunction(FunctionOpInterface function, const Target &target,
                             const ProblemOptions &options, Solve solve,
                             std::vector<AssignmentReport> *reports) {
  FunctionProblem found = problemOf(function, target, options);
  if (reports)
    nameForms(found);
  if (Check wrong = checkProblem(found.problem))
    return function.emitError()
           << "no assignment can be searched: " << wrong->message;
  Result<Assignment> assignment = solve(found.problem);
  if (!assignment)
    return function.emitError() << "no assignment of layouts for "
                                << target.name << ": " << assignment.error();
  warnOfOperationsInDdr(found);
  applyAssignment(found, *assignment);
  if (reports)
    reports->push_back({function.getName().str(), target.name,
                        std::move(found.problem), std::move(*assignment)});
  return success();
}

} // namespace npu
