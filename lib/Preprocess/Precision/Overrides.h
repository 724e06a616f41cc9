// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// The file of overrides: types by location. Passes.td says how it is written.

#ifndef NPU_LIB_PREPROCESS_PRECISION_OVERRIDES_H
#define NPU_LIB_PREPROCESS_PRECISION_OVERRIDES_H

#include "LocationPattern.h"
#include "npu/Dialect/NPU/IR/Precision.h"

namespace npu {

/// One line.
struct Override {
  LocationPattern pattern;
  Precision types;
  /// The place of the line in its file.
  mlir::Location loc;
  /// An operation that it names and to which it says nothing, because that
  /// computes nothing; null where there is none.
  mlir::Operation *named = nullptr;
  /// Whether it says something to an operation.
  bool used = false;
};

/// Reads a file. A failure has one error for each bad line, at its place.
mlir::FailureOr<llvm::SmallVector<Override>>
readOverrides(mlir::Location loc, llvm::StringRef file);

/// The same from text; `file` is its name in messages.
mlir::FailureOr<llvm::SmallVector<Override>>
parseOverrides(mlir::MLIRContext *context, llvm::StringRef file,
               llvm::StringRef text);

} // namespace npu

#endif // NPU_LIB_PREPROCESS_PRECISION_OVERRIDES_H
