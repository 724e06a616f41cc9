// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// A context for one case, what was said in it, and what is run in it.

#ifndef NPU_FUZZ_CASES_SESSION_H
#define NPU_FUZZ_CASES_SESSION_H

#include "npu-fuzz/Cases/Modes.h"
#include "npu/Support/RefusalKind.h"

#include "mlir/IR/BuiltinOps.h"
#include "mlir/IR/Diagnostics.h"
#include "mlir/IR/MLIRContext.h"
#include "mlir/IR/OwningOpRef.h"

namespace npu {

/// A context, and the diagnostics in it.
class Session {
public:
  Session();

  /// Parses a function; null after a diagnostic.
  mlir::OwningOpRef<mlir::ModuleOp> parse(const std::string &text);

  CaseResult refused(const std::string &where) const {
    return {Outcome::Refused, where + ": " + said, where};
  }
  /// A diagnostic that has a kind.
  struct Marked {
    RefusalMark mark;
    /// The text of its first note, for the user; empty where there is none.
    std::string note;
  };

  /// Everything that was said so far, for the user.
  const std::string &text() const { return said; }

  /// The first diagnostic of this kind so far, or null.
  const Marked *find(RefusalKind kind) const;
  bool hasAny(llvm::ArrayRef<RefusalKind> kinds) const {
    return llvm::any_of(kinds, [&](RefusalKind kind) { return find(kind); });
  }
  /// Whether no assignment fits, or a value that is pinned to more than a
  /// scratchpad holds.
  bool isTooLarge() const {
    return hasAny({RefusalKind::OperationTooLarge,
                   RefusalKind::NoAssignmentFound, RefusalKind::ValueTooLarge});
  }

  mlir::MLIRContext context;

private:
  std::string said;
  std::vector<Marked> marked;
  mlir::ScopedDiagnosticHandler handler;
};

/// A pass and its options, as npu-opt takes them.
struct PassCall {
  std::string name, options = {};

  /// "--npu-pass='a=1 b'"
  std::string asOption() const;
};
mlir::LogicalResult run(mlir::ModuleOp module, const PassCall &pass);

} // namespace npu

#endif // NPU_FUZZ_CASES_SESSION_H
