// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// A graph of TOSA: npu-compile takes it to legal IR, and the results are
// compared with those of the graph as it was. Where npu-compile refuses an
// operation with a note that says what is accepted instead, the outcome is
// Fine, and the message is that note: docs/tosa.md has all of them.

#include "npu-fuzz/Cases/Session.h"

#include "npu/Execution/Jit/ToExecutable.h"

#include <fmt/format.h>

using namespace mlir;

namespace npu {

static std::string pipelineFor(const MadeFunction &function) {
  return fmt::format("compile-to=legal strategy={} split-reductions=false "
                     "gather=allow",
                     function.assign->strategy);
}

CaseResult runTosaCase(const MadeFunction &function,
                       const CaseOptions &options) {
  Session session;
  auto original = session.parse(function.text);
  if (!original)
    return session.refused("parsing");
  OwningOpRef<ModuleOp> module = original->clone();
  if (failed(run(*module, "npu-compile{" + pipelineFor(function) + "}"))) {
    const auto *reason = session.find(RefusalKind::TosaNotLowered);
    return reason && !reason->note.empty()
               ? CaseResult{Outcome::Fine, reason->note}
               : session.refused("compiling");
  }
  if (failed(verifyStrictly(*module)))
    return session.refused("strict verification of what was compiled");
  if (failed(toExecutable(*module)))
    return session.refused("lowering to tiles");
  return runAgainst(session, *module, *original, function, {}, options);
}

CaseCommands commandsOfTosa(const MadeFunction &function,
                            const CaseOptions &options) {
  return {fmt::format("--npu-compile='{}'", pipelineFor(function)),
          runCommand(function, options)};
}

} // namespace npu
