// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// Edits that make layouts agree.

#ifndef NPU_LIB_LANGUAGESERVER_REPAIR_H
#define NPU_LIB_LANGUAGESERVER_REPAIR_H

#include "ParsedPart.h"

#include <optional>

namespace npu {

struct Edit {
  Span span;
  std::string text;
};

struct Repair {
  std::string title;
  /// Whether it changes what is wrong and nothing else.
  bool isPreferred = false;
  std::vector<Edit> edits;
};

/// The repair of a npu.permute_cast around a place whose sides do not agree:
/// the npu.redistribute or npu.distribution_cast after it that
/// npu-legalize-distributions makes.
std::optional<Repair> castRepairAt(const ParsedPart &part, size_t offset);

/// The name of the function around a place, where an operation there has an
/// error, such as one that reads what its tiles do not hold.
std::optional<std::string> wrongFunctionAt(ParsedPart &part, size_t offset);

/// That function as npu-legalize-distributions leaves it. Nothing where the
/// pass fails.
std::optional<Repair> legalizationAt(ParsedPart &part, size_t offset);
std::string titleOfLegalization(llvm::StringRef function);

} // namespace npu

#endif // NPU_LIB_LANGUAGESERVER_REPAIR_H
