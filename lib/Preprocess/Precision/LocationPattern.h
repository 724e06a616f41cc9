// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// Which locations a text names.

#ifndef NPU_LIB_PREPROCESS_PRECISION_LOCATIONPATTERN_H
#define NPU_LIB_PREPROCESS_PRECISION_LOCATIONPATTERN_H

#include "mlir/IR/Location.h"

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

/// Whether `text` is `pattern` with something for each `*`.
bool fitsWildcards(llvm::StringRef pattern, llvm::StringRef text);

} // namespace npu

#endif // NPU_LIB_PREPROCESS_PRECISION_LOCATIONPATTERN_H
