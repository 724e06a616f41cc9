// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// A logged error as the cast it is about: what the log does not say is assumed,
// the rest is checked, and what remains are three tensor types.

#ifndef NPU_LIB_TRANSLATION_LOG_LOGGEDCAST_H
#define NPU_LIB_TRANSLATION_LOG_LOGGEDCAST_H

#include "npu/Translation/Log/NpuLog.h"
#include "npu/Translation/Log/NpuLogTranslation.h"

namespace npu {

struct LoggedCast {
  /// Unique in its log, made of the operation's name.
  std::string function;
  mlir::RankedTensorType in;
  mlir::RankedTensorType out;
  /// `in` seen through the cast.
  mlir::RankedTensorType expected;
  /// The log's own `expected` where tiles hold other boxes under it than under
  /// `expected`: then the cast is not the one that is assumed. Else null.
  mlir::RankedTensorType contradicting;
  Permutation memPerm;
  /// The fields that the field compiler expects: the log's own, or those of
  /// `in` seen through the cast.
  LoggedAttribute expectedFields;
};

/// Says in `messages` what is assumed and what is wrong; nothing in the latter
/// case. `function` is left empty.
std::optional<LoggedCast> resolve(const LoggedError &logged,
                                  const NpuLogOptions &options,
                                  mlir::MLIRContext *context,
                                  LogMessages &messages);

/// A log that could be read as a whole.
struct NpuLog {
  std::vector<LoggedError> errors;
  /// One per error.
  std::vector<LoggedCast> casts;
  LogLines lines;
  mlir::StringAttr fileName;

  mlir::FileLineColLoc location(std::size_t at) const;
  /// The names that the log gives, and the place in the log.
  mlir::Location location(const LoggedError &error) const;
};

/// Reads the whole log; emits its errors as diagnostics. All remarks are in
/// the errors' messages.
mlir::FailureOr<NpuLog> readNpuLog(llvm::StringRef text,
                                   llvm::StringRef fileName,
                                   const NpuLogOptions &options,
                                   mlir::MLIRContext *context);

/// "NHWC", or "[0, 2, 3, 1]" where there is no name.
std::string spellOrder(const Permutation &order);

/// "1x28x336x128"
std::string spellShape(const Extents &shape);

} // namespace npu

#endif // NPU_LIB_TRANSLATION_LOG_LOGGEDCAST_H
