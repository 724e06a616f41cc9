// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// The options of passes that print text, JSON or pictures.

#ifndef NPU_LIB_DIALECT_NPU_TRANSFORMS_REPORTS_PICTUREOPTIONS_H
#define NPU_LIB_DIALECT_NPU_TRANSFORMS_REPORTS_PICTUREOPTIONS_H

#include "npu/Support/Report.h"

namespace npu {

/// Fails with a diagnostic for an unknown format, and for fewer than no tiles.
inline llvm::LogicalResult verifyPictureOptions(mlir::MLIRContext *context,
                                                llvm::StringRef pass,
                                                llvm::StringRef format,
                                                int64_t tiles) {
  mlir::Location loc = mlir::UnknownLoc::get(context);
  if (tiles < 0)
    return mlir::emitError(loc)
           << pass << ": expected tiles of 0 or more, got " << tiles;
  return verifyFormat(loc, pass, format, {"text", "json", "picture"});
}

} // namespace npu

#endif // NPU_LIB_DIALECT_NPU_TRANSFORMS_REPORTS_PICTUREOPTIONS_H
