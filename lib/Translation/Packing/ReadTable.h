// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// Reads buffers to pack from their CSV form.

#ifndef NPU_LIB_TRANSLATION_PACKING_READTABLE_H
#define NPU_LIB_TRANSLATION_PACKING_READTABLE_H

#include "npu/Placement/Scratchpad/PackBuffers.h"

#include "mlir/IR/Diagnostics.h"
#include "llvm/ADT/StringRef.h"

#include <string>

namespace npu {

struct BufferTable {
  std::vector<std::string> ids;
  std::vector<Buffer> buffers;
};

/// Reads a table: a line with the names of columns, then a line for each
/// buffer. Empty lines are skipped. An error at the line and column that
/// cannot be read; `checkBuffers` finds none in the result.
mlir::FailureOr<BufferTable> readTable(llvm::StringRef text,
                                       llvm::StringRef fileName,
                                       mlir::MLIRContext *context);

} // namespace npu

#endif // NPU_LIB_TRANSLATION_PACKING_READTABLE_H
