// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception

#include "npu-fuzz/Cases/AssignCase.h"

#include "npu-fuzz/Cases/CheckAssigned.h"
#include "npu-fuzz/Cases/RunRecipe.h"
#include "npu-fuzz/Cases/Session.h"

#include "npu/Dialect/NPU/Transforms/Assign/Passes.h"
#include "npu/Dialect/NPU/Transforms/Legalize/Passes.h"
#include "npu/Execution/Jit/ToExecutable.h"
#include "npu/Placement/Scratchpad/PackBuffers.h"

#include "mlir/Parser/Parser.h"
#include "mlir/Pass/PassManager.h"
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
  PassManager passes(module.getContext());
  passes.addPass(createAssignDistributions(options));
  return passes.run(module);
}

LogicalResult legalize(ModuleOp module) {
  PassManager passes(module.getContext());
  passes.addPass(createLegalizeDistributions());
  return passes.run(module);
}

/// Whether scratchpads of this case hold every value of the function many times
/// over, so that there is no reason not to find an assignment of least cost.
bool surelyFits(const Recipe &recipe) {
  int64_t bytes = 0;
  std::vector<ValueFacts> facts = *inferFacts(recipe);
  for (const ValueFacts &value : facts)
    bytes += static_cast<int64_t>(
        llvm::alignTo(Box::whole(value.shape).volume() * byteSize(value.type),
                      kBufferAlignment));
  constexpr int64_t leastOfBuiltin = 1000000;
  int64_t capacity = recipe.assign->scratchpadBytes;
  return recipe.assign->strategy == "least" &&
         (capacity > 0 ? capacity : leastOfBuiltin) > 16 * bytes;
}

} // namespace

bool isTooLarge(const Session &session) {
  return session.find(RefusalKind::OperationTooLarge) ||
         session.find(RefusalKind::NoAssignmentFound) ||
         session.find(RefusalKind::ValueTooLarge);
}

CaseResult runAssignCase(const Recipe &recipe,
                         const FunctionCaseOptions &options) {
  const AssignTask &task = *recipe.assign;
  Session session;
  session.context.loadDialect<NPUDialect>();
  auto original = parseSourceString<ModuleOp>(toText(recipe, session.context),
                                              &session.context);
  if (!original)
    return session.refused("parsing");
  ReportFile report;
  if (!report.isThere())
    return session.refused("making a file for the report");
  OwningOpRef<ModuleOp> module = original->clone();
  if (failed(assign(*module, task, report.name())))
    return isTooLarge(session) && !surelyFits(recipe)
               ? CaseResult{Outcome::Fine, "nothing fits the scratchpads"}
               : session.refused("assignment");
  if (failed(verifyStrictly(*module)))
    return session.refused("strict verification after assignment");
  OwningOpRef<ModuleOp> again = module->clone();
  if (failed(legalize(*again)))
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
  if (options.dropTransfer)
    dropOneTransfer(*module, options.seed);
  CaseResult result =
      runAgainst(session, *module, *original, recipe, {}, options);
  // Capacity rows count tensors, and not what lowering adds to them.
  if (result.outcome == Outcome::Refused && !surelyFits(recipe) &&
      session.find(RefusalKind::BuffersTooLarge))
    return {Outcome::Fine, kBuffersDoNotFit, kBuffersDoNotFit};
  return result;
}

std::string assignCommand(const AssignTask &task) {
  std::string states = task.strategy == "least" && task.states != 20000
                           ? fmt::format(" states={}", task.states)
                           : "";
  return fmt::format("--npu-assign-distributions='strategy={}{}{}'",
                     task.strategy, states,
                     task.splitReductions ? " split-reductions" : "");
}

} // namespace npu
