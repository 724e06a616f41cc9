// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// How a case is compiled and run: the passes that a user would give npu-opt,
// and the options that npu-run would get. What is run is what is shown.

#ifndef NPU_FUZZ_CASES_CASERUN_H
#define NPU_FUZZ_CASES_CASERUN_H

#include "npu-fuzz/Cases/Session.h"
#include "npu/Execution/Compare/RunAndCompare.h"

namespace npu {

/// Follows from the function and the options of the case alone.
struct CaseRun {
  CaseRun(const MadeFunction &function, const CaseOptions &options);

  /// The passes that legalize the function, in their order.
  std::vector<PassCall> passes;
  /// Takes the function to buffers as well, where npu-compile legalizes it.
  std::optional<PassCall> toBuffers;
  /// After the first pass, the dimensions of this extent are split over so many
  /// tiles, as test/Execution/Inputs/split_over_tiles.py does.
  int64_t extent = 0, tiles = 1;
  /// What passes may refuse, and what they do.
  std::vector<RefusalKind> mayRefuse;
  const char *step = "legalization";
  RunOptions run;

  mlir::LogicalResult legalize(mlir::ModuleOp module) const;
  CaseCommands commands() const;
};

/// Parses the function. Legalizes a copy of it, which has to be strictly legal,
/// and which another legalization may not change. The result is nothing, or
/// what is wrong, or Fine with a message where a refusal is expected.
std::optional<CaseResult>
legalizeCase(Session &session, const MadeFunction &function, const CaseRun &how,
             mlir::OwningOpRef<mlir::ModuleOp> &original,
             mlir::OwningOpRef<mlir::ModuleOp> &module);

/// What verification and another legalization say of legal IR.
std::optional<CaseResult> checkLegal(const Session &session,
                                     mlir::ModuleOp module);

/// Runs `module` and `original`. Different where any bit differs, with `before`
/// in front of what is said. A transfer is dropped before, if it is to be.
CaseResult runAgainst(const Session &session, mlir::ModuleOp module,
                      mlir::ModuleOp original, const CaseRun &how,
                      const CaseOptions &options,
                      const std::string &before = "");

} // namespace npu

#endif // NPU_FUZZ_CASES_CASERUN_H
