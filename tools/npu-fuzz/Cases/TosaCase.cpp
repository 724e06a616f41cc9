// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception

#include "npu-fuzz/Cases/TosaCase.h"

#include "npu-fuzz/Cases/AssignCase.h"
#include "npu-fuzz/Cases/RunRecipe.h"
#include "npu-fuzz/Cases/Session.h"

#include "npu/Conversion/Compile/Pipeline.h"
#include "npu/Execution/Jit/ToExecutable.h"

#include "mlir/Parser/Parser.h"
#include "mlir/Pass/PassManager.h"
#include "mlir/Pass/PassRegistry.h"

#include <fmt/format.h>

using namespace mlir;

namespace npu {
namespace {

std::string pipelineFor(const AssignTask &task) {
  return fmt::format("compile-to=legal strategy={} split-reductions=false "
                     "gather=allow",
                     task.strategy);
}

LogicalResult compile(ModuleOp module, const AssignTask &task) {
  PassManager passes(module.getContext());
  if (failed(
          parsePassPipeline("npu-compile{" + pipelineFor(task) + "}", passes)))
    return failure();
  return passes.run(module);
}

/// The note of a refusal that says what is accepted instead; empty where there
/// is none.
std::string reasonOf(const Session &session) {
  const Session::Marked *refusal = session.find(RefusalKind::TosaNotLowered);
  return refusal ? refusal->note : "";
}

} // namespace

CaseResult runTosaCase(const Recipe &recipe,
                       const FunctionCaseOptions &options) {
  Session session;
  session.context.loadDialect<NPUDialect>();
  auto original = parseSourceString<ModuleOp>(toText(recipe, session.context),
                                              &session.context);
  if (!original)
    return session.refused("parsing");
  OwningOpRef<ModuleOp> module = original->clone();
  if (failed(compile(*module, *recipe.assign))) {
    if (std::string reason = reasonOf(session); !reason.empty())
      return {Outcome::Fine, reason};
    return session.refused("compiling");
  }
  if (failed(verifyStrictly(*module)))
    return session.refused("strict verification of what was compiled");
  if (failed(toExecutable(*module)))
    return session.refused("lowering to tiles");
  if (options.dropTransfer)
    dropOneTransfer(*module, options.seed);
  return runAgainst(session, *module, *original, recipe, {}, options);
}

std::string tosaCommand(const AssignTask &task) {
  return fmt::format("--npu-compile='{}'", pipelineFor(task));
}

} // namespace npu
