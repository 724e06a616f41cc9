// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// Reads what stands in one statement of a dump: results, operands, types,
// dictionaries and lists, in whatever order an operation's assembly has them.

#ifndef NPU_LIB_TRANSLATION_DUMP_STATEMENTREADER_H
#define NPU_LIB_TRANSLATION_DUMP_STATEMENTREADER_H

#include "DumpScope.h"
#include "DumpTypeReader.h"

#include "llvm/ADT/STLFunctionalExtras.h"

namespace npu {

/// One statement while it is read.
struct Statement {
  DumpOperation op;
  /// The results' names, and how many values each stands for.
  std::vector<std::pair<std::string_view, unsigned>> results;
  struct Operand {
    DumpOperand operand;
    DumpTypePtr type;
    std::string_view boundAs;
    std::size_t at;
  };
  std::vector<Operand> operands;
  std::vector<DumpTypePtr> types;
  /// The first of `types` after the last arrow; npos without an arrow.
  std::size_t firstResultType = std::string_view::npos;
  std::string_view symbol;
  bool defined = false;
  /// The one operation that this one tiles.
  std::optional<DumpOperation> tiled;
  /// How many functions had ended where the statement begins: the numbers of
  /// values are those of one function.
  int64_t functionsBefore = 0;
};

/// Whether an operation of that name ends a region.
bool isTerminator(std::string_view op);

/// Whether the '{' at which the lexer stands opens a region, not a dictionary.
bool beginsRegion(const DumpLexer &brace);

class StatementReader {
public:
  StatementReader(DumpLexer &lexer, DumpVisitor &visitor, DumpTypeReader &types,
                  DumpScope &scope)
      : lexer(lexer), visitor(visitor), types(types), scope(scope) {}

  /// Reads `%0 =`, `%0:2 =`, `%0, %1 =`. Returns false where it is none of
  /// these.
  bool readResults(Statement &statement);
  /// Reads everything after the operation's name. `readBraces` is called where
  /// a '{' stands, and returns whether the statement goes on after it.
  void readBody(Statement &statement,
                llvm::function_ref<bool(Statement &)> readBraces);
  /// Reads operands with their types up to the ')' that closes their list.
  void readArguments(Statement &statement);

private:
  bool ends(const Statement &statement, const std::vector<char> &open,
            bool isFirst);
  bool readOperand(Statement &statement, std::string_view group);
  bool readTypeHere(Statement &statement);
  void addOperand(Statement &statement, const DumpToken &token,
                  std::string_view group);
  void readList(Statement &statement, const DumpToken &open,
                std::string_view word);

  DumpLexer &lexer;
  DumpVisitor &visitor;
  DumpTypeReader &types;
  DumpScope &scope;
};

} // namespace npu

#endif // NPU_LIB_TRANSLATION_DUMP_STATEMENTREADER_H
