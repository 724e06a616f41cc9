// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// A context for one case, and what was said in it.

#ifndef NPU_FUZZ_CASES_SESSION_H
#define NPU_FUZZ_CASES_SESSION_H

#include "npu-fuzz/Plans/Isolated.h"

#include "npu/Support/RefusalKind.h"

#include "mlir/IR/BuiltinOps.h"
#include "mlir/IR/Diagnostics.h"
#include "mlir/IR/MLIRContext.h"

#include <string>
#include <vector>

namespace npu {

/// A context, and the diagnostics in it.
class Session {
public:
  Session();

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

  mlir::MLIRContext context;

private:
  std::string said;
  std::vector<Marked> marked;
  mlir::ScopedDiagnosticHandler handler;
};

/// The module as text.
std::string print(mlir::ModuleOp module);

/// Runs npu-verify-distributions=strict.
mlir::LogicalResult verifyStrictly(mlir::ModuleOp module);

} // namespace npu

#endif // NPU_FUZZ_CASES_SESSION_H
