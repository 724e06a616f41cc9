// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// Reconstructs the cast of a logged error: what the log does not say is
// assumed, the rest is checked, and the result is three tensor types.

#ifndef NPU_LIB_TRANSLATION_LOG_LOGGEDCAST_H
#define NPU_LIB_TRANSLATION_LOG_LOGGEDCAST_H

#include "npu/Translation/Log/NpuLog.h"
#include "npu/Translation/Log/NpuLogTranslation.h"

namespace npu {

struct LoggedCast {
  /// A name for a function, unique in its log and made from the operation's
  /// name.
  std::string function;
  mlir::RankedTensorType in;
  mlir::RankedTensorType out;
  /// The type that the cast gives the input type `in`.
  mlir::RankedTensorType expected;
  /// The log's own expected type where its boxes differ from those of
  /// `expected`: then the logged cast is not the assumed one. Else null.
  mlir::RankedTensorType contradicting;
  Permutation memPerm;
  /// The fields that the field compiler expects: those of the log, or the image
  /// of the fields of `in`.
  LoggedAttribute expectedFields;
};

/// Reconstructs the cast. Assumptions and errors go to `messages`; nothing
/// after an error. `function` is left empty.
std::optional<LoggedCast> resolve(const LoggedError &logged,
                                  const NpuLogOptions &options,
                                  mlir::MLIRContext *context,
                                  LogMessages &messages);

/// A log that was read without errors.
struct NpuLog {
  std::vector<LoggedError> errors;
  /// One per error.
  std::vector<LoggedCast> casts;
  LogLines lines;
  mlir::StringAttr fileName;

  mlir::FileLineColLoc location(std::size_t at) const;
  /// The location of a logged operation: its names, and the place in the log.
  mlir::Location location(const LoggedError &error) const;
};

/// What becomes of whole errors before one that the end of the log cuts.
enum class BesideCut { Refused, Kept };

/// Reads the whole log and emits errors as diagnostics, with what is known all
/// the same where the log is cut. All remarks are in the messages of the
/// errors. With `Kept`, an error that is cut is left out with a warning where
/// others are whole.
mlir::FailureOr<NpuLog> readNpuLog(llvm::StringRef text,
                                   llvm::StringRef fileName,
                                   const NpuLogOptions &options,
                                   mlir::MLIRContext *context,
                                   BesideCut besideCut = BesideCut::Refused);

/// "NHWC", or "[0, 2, 3, 1]" where there is no name.
std::string spellOrder(const Permutation &order);

/// "1x28x336x128"
std::string spellShape(const Extents &shape);

} // namespace npu

#endif // NPU_LIB_TRANSLATION_LOG_LOGGEDCAST_H
