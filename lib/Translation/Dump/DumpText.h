// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// The explanation of a dump as text and as JSON.

#ifndef NPU_LIB_TRANSLATION_DUMP_DUMPTEXT_H
#define NPU_LIB_TRANSLATION_DUMP_DUMPTEXT_H

#include "DumpAnalysis.h"

#include "mlir/IR/MLIRContext.h"
#include "llvm/Support/raw_ostream.h"

namespace npu {

/// The repair of a bad edge in the field compiler's spelling, one line each.
std::vector<std::string> spellRepair(const DumpEdge &edge,
                                     const std::vector<DumpValue> &values);

/// The distribution of a distributed type as this project spells it; "" where
/// it has no spelling.
std::string spellLayout(const DumpType &type, mlir::MLIRContext *context);

/// The explanation as JSON (docs/field-dumps.md describes it). Returns the
/// number of bad edges.
int64_t writeDumpJson(std::string_view text,
                      const std::optional<DumpDevice> &device,
                      llvm::raw_ostream &output, mlir::MLIRContext *context);

/// The explanation as text.
int64_t writeDumpText(std::string_view text, std::string_view fileName,
                      bool all, const std::optional<DumpDevice> &device,
                      llvm::raw_ostream &output, mlir::MLIRContext *context);

} // namespace npu

#endif // NPU_LIB_TRANSLATION_DUMP_DUMPTEXT_H
