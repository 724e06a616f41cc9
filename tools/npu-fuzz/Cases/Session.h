// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// A context for one case, and what was said in it.

#ifndef NPU_FUZZ_CASES_SESSION_H
#define NPU_FUZZ_CASES_SESSION_H

#include "npu-fuzz/Plans/Isolated.h"

#include "mlir/IR/BuiltinOps.h"
#include "mlir/IR/Diagnostics.h"
#include "mlir/IR/MLIRContext.h"

#include <string>

namespace npu {

/// A context, and the diagnostics in it.
class Session {
public:
  Session();

  CaseResult refused(const std::string &where) const;
  /// Whether the text is part of a diagnostic so far.
  bool says(llvm::StringRef text) const {
    return llvm::StringRef(said).contains(text);
  }

  /// All diagnostics so far.
  llvm::StringRef text() const { return said; }

  mlir::MLIRContext context;

private:
  std::string said;
  mlir::ScopedDiagnosticHandler handler;
};

/// The module as text.
std::string print(mlir::ModuleOp module);

/// Runs npu-verify-distributions=strict.
mlir::LogicalResult verifyStrictly(mlir::ModuleOp module);

} // namespace npu

#endif // NPU_FUZZ_CASES_SESSION_H
