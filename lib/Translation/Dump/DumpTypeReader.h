// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// Reads types and dictionaries where they stand in a dump, and reports to the
// visitor what they hold.

#ifndef NPU_LIB_TRANSLATION_DUMP_DUMPTYPEREADER_H
#define NPU_LIB_TRANSLATION_DUMP_DUMPTYPEREADER_H

#include "DumpReader.h"

#include "llvm/ADT/StringSet.h"

namespace npu {

/// Whether a type begins at the lexer's token.
bool beginsType(const DumpLexer &at);

/// A string without its quotation marks; another text as it is.
std::string_view unquoted(std::string_view text);

class DumpTypeReader {
public:
  DumpTypeReader(DumpLexer &lexer, DumpVisitor &visitor)
      : lexer(lexer), visitor(visitor) {}

  /// Reads the type that begins at the current token.
  DumpTypePtr readHere();
  /// Reads the type that a part of the dump at `at` spells.
  DumpTypePtr read(std::string_view spelled, std::size_t at);
  /// Reads {name = value, name, ...} and appends its entries.
  void readDictionary(
      std::vector<std::pair<std::string_view, std::string_view>> &entries);

  DumpTypes types;

private:
  void countInside(std::string_view value);

  DumpLexer &lexer;
  DumpVisitor &visitor;
  /// Aliases that were used before they were defined, if they ever were.
  llvm::StringSet<> undefined;
};

} // namespace npu

#endif // NPU_LIB_TRANSLATION_DUMP_DUMPTYPEREADER_H
