// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// From the field compiler's log to IR that reproduces its errors, and to plain
// words about them.

#ifndef NPU_TRANSLATION_LOG_NPULOGTRANSLATION_H
#define NPU_TRANSLATION_LOG_NPULOGTRANSLATION_H

#include "npu/Placement/Distributions/Order.h"

#include "mlir/IR/BuiltinOps.h"
#include "mlir/IR/OwningOpRef.h"

#include <optional>
#include <string>

namespace npu {

/// What a log does not say. Absent: assumed, with a remark.
struct NpuLogOptions {
  /// Null: f16.
  mlir::Type elementType;
  /// Absent: NCHW, the identity.
  std::optional<Permutation> inOrder;
  /// Absent: the order that makes the boxes of both sides agree.
  std::optional<Permutation> outOrder;
  /// Absent: the identity.
  std::optional<Permutation> memPerm;
  /// Absent: what the boxes span.
  std::optional<Extents> inShape;
};

/// A module with one function per error of the log, which casts its argument
/// from the `in` to the `out` layout. Errors and remarks are diagnostics at
/// `fileName`'s lines and columns; after an error there is no module.
///
/// The location of each operation is a fused one of the names that the log
/// gives and of the place in the log.
mlir::OwningOpRef<mlir::ModuleOp> importNpuLog(llvm::StringRef text,
                                               llvm::StringRef fileName,
                                               const NpuLogOptions &options,
                                               mlir::MLIRContext *context);

/// Every error of the log in plain words, with the IR that repairs it. Errors
/// are diagnostics, and then there are no words; remarks are among the words.
mlir::FailureOr<std::string> explainNpuLog(llvm::StringRef text,
                                           llvm::StringRef fileName,
                                           const NpuLogOptions &options,
                                           mlir::MLIRContext *context);

/// Registers --import-npu-log, --explain-npu-log and their options with
/// mlirTranslateMain.
void registerNpuLogTranslations();

} // namespace npu

#endif // NPU_TRANSLATION_LOG_NPULOGTRANSLATION_H
