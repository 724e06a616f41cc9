// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// Warnings and remarks of a compilation, as a section of the artefact: whoever
// takes it from the cache is warned as well.

#ifndef NPU_COMPILATION_KEPTWARNINGS_H
#define NPU_COMPILATION_KEPTWARNINGS_H

#include "npu/Artefact/Artefact.h"

#include "mlir/IR/BuiltinOps.h"
#include "mlir/IR/Diagnostics.h"
#include "llvm/Support/JSON.h"

namespace npu {

inline constexpr llvm::StringLiteral warningsSection = "warnings";

/// Keeps the warnings and remarks of a context for as long as this is there.
/// Others print them.
class KeptWarnings {
public:
  explicit KeptWarnings(mlir::MLIRContext *context);
  KeptWarnings(const KeptWarnings &) = delete;

  /// The section, or nothing where there was no warning.
  std::string section() const;

private:
  llvm::json::Array warnings;
  mlir::ScopedDiagnosticHandler handler;
};

/// Says again what an artefact has kept. Places in the file of its model are
/// those in `file`, wherever that lies now.
void repeatWarnings(const Artefact &artefact, mlir::ModuleOp module,
                    llvm::StringRef file);

} // namespace npu

#endif // NPU_COMPILATION_KEPTWARNINGS_H
