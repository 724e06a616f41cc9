// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// Translation of the field compiler's log to IR that reproduces its errors, and
// to explanations of the errors.

#ifndef NPU_TRANSLATION_LOG_NPULOGTRANSLATION_H
#define NPU_TRANSLATION_LOG_NPULOGTRANSLATION_H

#include "npu/Placement/Distributions/Order.h"
#include "npu/Translation/Log/OutputFormat.h"

#include "mlir/IR/BuiltinOps.h"
#include "mlir/IR/OwningOpRef.h"

#include <optional>
#include <string>

namespace npu {

/// Facts that a log does not contain. For an absent one a default is assumed
/// and remarked.
struct NpuLogOptions {
  /// The element type; null: f16.
  mlir::Type elementType;
  /// The order of the input; absent: NCHW, the identity.
  std::optional<Permutation> inOrder;
  /// The order of the output; absent: the order that makes the boxes of both
  /// sides agree.
  std::optional<Permutation> outOrder;
  /// The permutation of the cast; absent: the identity.
  std::optional<Permutation> memPerm;
  /// The shape of the input; absent: the extents that the boxes span.
  std::optional<Extents> inShape;
  /// Other prompt lengths at which the explanation asks the same casts.
  std::vector<int64_t> promptLengths = {};
  /// The prompt's dimension of the casts' inputs; absent: the one whose extent
  /// is the prompt length that the log says.
  std::optional<int64_t> promptDim = {};
  /// Of the explanation.
  OutputFormat format = OutputFormat::Text;
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

/// Explains every error of the log in plain words or as JSON, with the IR that
/// repairs it; errors that differ in place and name alone are explained once.
/// Errors in the log are diagnostics, and then there is no text; remarks are
/// part of the text. Where the end of the log cuts its last error, and others
/// are whole, a warning says what is missing of it and what is known all the
/// same, and the others are explained.
mlir::FailureOr<std::string> explainNpuLog(llvm::StringRef text,
                                           llvm::StringRef fileName,
                                           const NpuLogOptions &options,
                                           mlir::MLIRContext *context);

/// Registers --import-npu-log, --explain-npu-log and their options with
/// mlirTranslateMain.
void registerNpuLogTranslations();

} // namespace npu

#endif // NPU_TRANSLATION_LOG_NPULOGTRANSLATION_H
