// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// What regions compute: a function is padded or cut into chunks, run at every
// length and compared with the original function. An error by which padding or
// chunking refuses what it cannot do is the outcome Fine, with a message; any
// other error is Refused.

#include "npu-fuzz/Cases/CaseRun.h"

#include "mlir/Dialect/ControlFlow/IR/ControlFlowOps.h"
#include "mlir/Dialect/Func/IR/FuncOps.h"
#include "mlir/IR/Matchers.h"
#include "mlir/Pass/PassManager.h"
#include "mlir/Transforms/Passes.h"

using namespace mlir;

namespace npu {

/// Whether an assertion of the function `caller` fails at every run. Calls are
/// inlined, and what follows from static shapes is folded.
static bool callerFails(ModuleOp module) {
  PassManager passes(module.getContext());
  passes.addPass(createInlinerPass());
  passes.addPass(createCanonicalizerPass());
  auto caller = module.lookupSymbol<func::FuncOp>("caller");
  if (!caller || failed(passes.run(module)))
    return false;
  caller = module.lookupSymbol<func::FuncOp>("caller");
  return caller
      .walk([](cf::AssertOp assertion) {
        return matchPattern(assertion.getArg(), m_Zero())
                   ? WalkResult::interrupt()
                   : WalkResult::advance();
      })
      .wasInterrupted();
}

CaseResult runBodyCase(const MadeFunction &function,
                       const CaseOptions &options) {
  if (!function.whyNot.empty())
    return {Outcome::Refused, "importing: " + function.whyNot, "importing"};
  Session session;
  CaseRun how(function, options);
  LastExtent last = function.prompt->lastExtent;
  OwningOpRef<ModuleOp> original, module;
  std::optional<CaseResult> ended =
      legalizeCase(session, function, how, original, module);
  // A name of its own makes the dimension another prompt.
  bool hasNames = last == LastExtent::Named || !function.prompt->names.empty();
  if (hasNames && ended && session.find(RefusalKind::SeveralPrompts))
    return {Outcome::Fine, session.text()};
  if (ended)
    return *ended;
  if (last == LastExtent::Longer)
    return callerFails(*module)
               ? CaseResult{}
               : CaseResult{Outcome::Different,
                            "two extents are taken for one: no assertion "
                            "fails where a caller gives one more"};
  if (how.toBuffers) {
    OwningOpRef<ModuleOp> planned = original->clone();
    if (failed(run(*planned, *how.toBuffers)))
      return session.refused("compiling to buffers");
  }
  return runAgainst(session, *module, *original, how, options);
}

} // namespace npu
