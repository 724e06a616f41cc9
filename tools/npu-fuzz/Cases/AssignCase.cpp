// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// A function whose layouts are assigned. Different where legalization changes
// what was assigned, or where the report of the assignment is not true
// (CheckAssigned.h). Fine, with a message, where nothing fits the scratchpads.

#include "npu-fuzz/Cases/AssignCase.h"

#include "npu-fuzz/Cases/CheckAssigned.h"

#include "npu/Dialect/NPU/IR/TensorPlacement.h"
#include "npu/Dialect/NPU/Transforms/Assign/Passes.h"
#include "npu/Dialect/NPU/Transforms/Legalize/Passes.h"
#include "npu/Execution/Jit/ToExecutable.h"
#include "npu/Placement/Scratchpad/PackBuffers.h"

#include "llvm/Support/FileSystem.h"
#include "llvm/Support/FileUtilities.h"
#include "llvm/Support/MathExtras.h"
#include "llvm/Support/MemoryBuffer.h"

#include <fmt/format.h>

using namespace mlir;

namespace npu {
namespace {

/// A file for the report of this case, which goes with it.
class ReportFile {
public:
  ReportFile()
      : error(llvm::sys::fs::createTemporaryFile("npu-fuzz", "json", path)),
        remover(path) {}

  std::string name() const { return std::string(path); }
  bool isThere() const { return !error; }
  std::string read() const {
    auto buffer = llvm::MemoryBuffer::getFile(path);
    return buffer ? (*buffer)->getBuffer().str() : "";
  }

private:
  SmallString<128> path;
  std::error_code error;
  llvm::FileRemover remover;
};

LogicalResult assign(ModuleOp module, const AssignTask &task,
                     const std::string &report) {
  AssignDistributionsOptions options;
  options.strategy = task.strategy;
  options.states = task.states;
  options.report = report;
  options.splitReductions = task.splitReductions;
  return run(module, createAssignDistributions(options));
}

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

} // namespace

bool isTooLarge(const Session &session) {
  return session.hasAny({RefusalKind::OperationTooLarge,
                         RefusalKind::NoAssignmentFound,
                         RefusalKind::ValueTooLarge});
}

CaseResult runAssignCase(const MadeFunction &function,
                         const CaseOptions &options) {
  const AssignTask &task = *function.assign;
  Session session;
  auto original = session.parse(function.text);
  if (!original)
    return session.refused("parsing");
  ReportFile report;
  if (!report.isThere())
    return session.refused("making a file for the report");
  OwningOpRef<ModuleOp> module = original->clone();
  if (failed(assign(*module, task, report.name())))
    return isTooLarge(session) && !surelyFits(*original, task)
               ? CaseResult{Outcome::Fine, "nothing fits the scratchpads"}
               : session.refused("assignment");
  if (failed(verifyStrictly(*module)))
    return session.refused("strict verification after assignment");
  OwningOpRef<ModuleOp> again = module->clone();
  if (failed(run(*again, createLegalizeDistributions())))
    return session.refused("legalization after assignment");
  if (print(*again) != print(*module))
    return {Outcome::Different, "legalization changes what was assigned",
            "legalization"};
  if (Result<> wrong = checkAssigned(*module, report.read(), task.strategy);
      !wrong)
    return {Outcome::Different, "the report: " + wrong.error().message,
            "the report"};
  if (failed(toExecutable(*module)))
    return session.refused("lowering to tiles");
  CaseResult result =
      runAgainst(session, *module, *original, function, {}, options);
  // Capacity rows count tensors, and not what lowering adds to them.
  if (result.outcome == Outcome::Refused && !surelyFits(*original, task) &&
      session.find(RefusalKind::BuffersTooLarge))
    return {Outcome::Fine, kBuffersDoNotFit, kBuffersDoNotFit};
  return result;
}

CaseCommands commandsOfAssignment(const MadeFunction &function,
                                  const CaseOptions &options) {
  const AssignTask &task = *function.assign;
  AssignTask usual;
  std::string states =
      task.strategy == "least" && task.states != usual.states
          ? fmt::format(" states={}", task.states)
          : "";
  return {fmt::format("--npu-assign-distributions='strategy={}{}{}'",
                      task.strategy, states,
                      task.splitReductions ? " split-reductions" : ""),
          runCommand(function, options)};
}

} // namespace npu
