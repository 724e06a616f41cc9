// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// The options of npu-run that are about the ranks of an MPI job.

#ifndef NPU_LIB_TOOLS_RANKCOMMANDLINE_H
#define NPU_LIB_TOOLS_RANKCOMMANDLINE_H

#include "npu/Execution/Compare/RunAndCompare.h"
#include "npu/Execution/Ranks/RankSession.h"

#include "mlir/IR/Diagnostics.h"
#include "llvm/Support/CommandLine.h"

namespace npu {

/// Prints diagnostics in one piece each, and of several ranks, on which a
/// program has the same ones, those that are no errors on the first alone.
class RankDiagnostics : public mlir::SourceMgrDiagnosticHandler {
public:
  /// `session` may be null.
  RankDiagnostics(llvm::SourceMgr &sources, mlir::MLIRContext &context,
                  const RankSession *session);
};

struct RankCommandLine {
  explicit RankCommandLine(llvm::cl::OptionCategory &category);

  /// With --mpi, joins the job that mpirun has begun, and notes it in
  /// `options`. Refuses what several ranks do not do together. `file` is what
  /// they run.
  Result<> join(llvm::StringRef file, RunOptions &options);

  /// Prints the figures of the job where this rank has succeeded, and ends it.
  /// Returns `code` where there is no job, or what RankSession::close returns.
  int leave(int code);

  llvm::cl::opt<bool> mpi;
  llvm::cl::opt<bool> report;
  llvm::cl::opt<double> timeout;
  llvm::cl::opt<std::string> fault;

private:
  /// Refuses options that do not fit --mpi, or that are not well-formed.
  Result<> check(llvm::StringRef file, const RunOptions &options) const;

  std::unique_ptr<RankSession> session;
};

} // namespace npu

#endif // NPU_LIB_TOOLS_RANKCOMMANDLINE_H
