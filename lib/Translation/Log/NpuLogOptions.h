// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// Parses and prints the options as they are on the command line.

#ifndef NPU_LIB_TRANSLATION_LOG_NPULOGOPTIONS_H
#define NPU_LIB_TRANSLATION_LOG_NPULOGOPTIONS_H

#include "npu/Translation/Log/NpuLogTranslation.h"

namespace npu {

/// Parses "NHWC", or "0, 2, 3, 1" with or without brackets.
Result<Permutation> parseOrderOption(llvm::StringRef text);

/// Parses "1x28x336x128", or "1, 28, 336, 128" with or without brackets.
Result<Extents> parseShapeOption(llvm::StringRef text);

/// Parses a type that has a size: "f16", "i8", ...
Result<mlir::Type> parseElementTypeOption(llvm::StringRef text,
                                          mlir::MLIRContext *context);

/// Parses prompt lengths: "304,511", "1..1024" with both ends, or both.
Result<std::vector<int64_t>> parseLengthsOption(llvm::StringRef text);

/// Parses the number of a dimension.
Result<int64_t> parseDimensionOption(llvm::StringRef text);

/// Increasing numbers in the same spelling: "1..7, 9".
std::string spellLengths(llvm::ArrayRef<int64_t> lengths);

/// The options that are set, each with a blank before it.
std::string spellForCommandLine(const NpuLogOptions &options);

} // namespace npu

#endif // NPU_LIB_TRANSLATION_LOG_NPULOGOPTIONS_H
