// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// The file of overrides: types by location. Passes.td says how it is written.

#ifndef NPU_LIB_PREPROCESS_PRECISION_OVERRIDES_H
#define NPU_LIB_PREPROCESS_PRECISION_OVERRIDES_H

#include "npu/Dialect/NPU/IR/Precision.h"

#include <string>

namespace npu {

/// A place in a file, or a name; `*` stands for any characters.
///
/// Example: `model.mlir:12:*` names what line 12 of any model.mlir made, and
/// `models/model.mlir:12:8` what stands at one place of one file.
struct LocationPattern {
  std::string text;
  /// The name of a location, instead of a place.
  bool isName = false;

  /// Whether one of the places or names that `loc` has is meant: of what was
  /// fused, each; of what was inlined, its own and that of the call.
  bool names(mlir::Location loc) const;
};

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
