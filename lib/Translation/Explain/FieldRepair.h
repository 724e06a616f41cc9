// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// The repair of a logged cast as the field compiler's own IR, and how to have
// it print the IR that a log leaves out.

#ifndef NPU_LIB_TRANSLATION_EXPLAIN_FIELDREPAIR_H
#define NPU_LIB_TRANSLATION_EXPLAIN_FIELDREPAIR_H

#include "../Log/LoggedCast.h"

namespace npu {

/// Lines of IR for one of the field compiler's tests: aliases of the types, and
/// the operations that give 'out' from 'in'. Empty where the sides differ in
/// their spelling alone, or where no operation of the field compiler helps.
std::vector<std::string> spellFieldRepair(const LoggedError &error,
                                          const LoggedCast &cast);

/// Environment variables that let a developer build of the field compiler write
/// its IR before each pass, in a file that --explain-npu-dump reads.
inline constexpr std::string_view kDumpVariables[] = {
    "IE_NPU_IR_PRINTING_FILTER='.*'", "IE_NPU_IR_PRINTING_ORDER=before",
    "IE_NPU_PRINT_FULL_IR=1", "IE_NPU_PRINT_DEBUG_INFO=1",
    "IE_NPU_IR_PRINTING_FILE=dump.mlir"};
/// The options of its test driver that do the same.
inline constexpr std::string_view kDumpOptions =
    "vpux-opt --mlir-print-ir-before-all --mlir-print-debuginfo";

} // namespace npu

#endif // NPU_LIB_TRANSLATION_EXPLAIN_FIELDREPAIR_H
