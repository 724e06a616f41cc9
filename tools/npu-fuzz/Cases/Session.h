// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// A context for one case, what was said in it, and what is run in it.

#ifndef NPU_FUZZ_CASES_SESSION_H
#define NPU_FUZZ_CASES_SESSION_H

#include "npu-fuzz/Cases/Modes.h"
#include "npu/Execution/Compare/RunAndCompare.h"
#include "npu/Support/RefusalKind.h"

#include "mlir/IR/BuiltinOps.h"
#include "mlir/IR/Diagnostics.h"
#include "mlir/IR/MLIRContext.h"
#include "mlir/Pass/PassManager.h"

namespace npu {

/// A context, and the diagnostics in it.
class Session {
public:
  Session();

  /// Parses a function; null after a diagnostic.
  mlir::OwningOpRef<mlir::ModuleOp> parse(const std::string &text);

  CaseResult refused(const std::string &where) const;
  /// A diagnostic that has a kind.
  struct Marked {
    RefusalMark mark;
    /// The text of its first note, for the user; empty where there is none.
    std::string note;
  };

  /// Everything that was said so far, for the user.
  llvm::StringRef text() const { return said; }

  /// The first diagnostic of this kind so far, or null.
  const Marked *find(RefusalKind kind) const;
  bool hasAny(std::initializer_list<RefusalKind> kinds) const {
    return llvm::any_of(kinds, [&](RefusalKind kind) { return find(kind); });
  }

  mlir::MLIRContext context;

private:
  std::string said;
  std::vector<Marked> marked;
  mlir::ScopedDiagnosticHandler handler;
};

/// The module as text.
std::string print(mlir::ModuleOp module);

/// Runs one pass, or a pipeline as text.
mlir::LogicalResult run(mlir::ModuleOp module,
                        std::unique_ptr<mlir::Pass> pass);
mlir::LogicalResult run(mlir::ModuleOp module, const std::string &pipeline);
/// Runs npu-verify-distributions=strict.
mlir::LogicalResult verifyStrictly(mlir::ModuleOp module);

/// Whether no assignment fits, or a value that is pinned to more than a
/// scratchpad holds, by what was said in the session.
bool isTooLarge(const Session &session);

/// The inputs that the function is legal for.
InputKind inputKindOf(const MadeFunction &function);

/// Runs `module` and `original` with `run`, whose inputs, seed and threads are
/// those of the function and the options. Different where any bit differs, with
/// `before` in front of what is said. A transfer is dropped before, if it is to
/// be.
CaseResult runAgainst(const Session &session, mlir::ModuleOp module,
                      mlir::ModuleOp original, const MadeFunction &function,
                      RunOptions run, const CaseOptions &options,
                      const std::string &before = "");

/// The options of npu-run for such a function.
std::string runCommand(const MadeFunction &function,
                       const CaseOptions &options);

} // namespace npu

#endif // NPU_FUZZ_CASES_SESSION_H
