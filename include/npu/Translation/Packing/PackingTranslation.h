// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// Packs buffers of a table, in the CSV form of google/minimalloc, so that other
// solvers can be held against this one.

#ifndef NPU_TRANSLATION_PACKING_PACKINGTRANSLATION_H
#define NPU_TRANSLATION_PACKING_PACKINGTRANSLATION_H

#include "mlir/IR/MLIRContext.h"
#include "llvm/ADT/StringRef.h"
#include "llvm/Support/raw_ostream.h"

#include <optional>

namespace npu {

/// Reads a table with the columns `id`, `lower`, `upper` and `size`, in any
/// order, and perhaps `alignment`; a buffer is in use from `lower` to
/// `upper` - 1. Writes the table with the column `offset`. Sizes, offsets and
/// the capacity are in bytes. A remark says the peak and its lower bound.
/// Errors: a table that cannot be read, at its line and column; no packing
/// within the capacity, whether proved or not found.
/// Example: `id,lower,upper,size\na,0,2,4\n` becomes
/// `id,lower,upper,size,offset\na,0,2,4,0\n`.
llvm::LogicalResult packTable(llvm::StringRef text, llvm::StringRef fileName,
                              std::optional<int64_t> capacity,
                              llvm::raw_ostream &output,
                              mlir::MLIRContext *context);

/// Registers --pack-buffers and its option --capacity with mlirTranslateMain.
void registerPackingTranslation();

} // namespace npu

#endif // NPU_TRANSLATION_PACKING_PACKINGTRANSLATION_H
