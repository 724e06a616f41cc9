// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// Reads what stands in one statement of a dump: results, operands, types,
// dictionaries and lists, in whatever order an operation's assembly has them.

#ifndef NPU_LIB_TRANSLATION_DUMP_STATEMENTREADER_H
#define NPU_LIB_TRANSLATION_DUMP_STATEMENTREADER_H

#include "DumpReader.h"

#include "llvm/ADT/STLFunctionalExtras.h"
#include "llvm/ADT/StringSet.h"

namespace npu {

class DumpScope {
public:
  const std::vector<DumpValue> &values() const { return all; }

  /// Adds a value, and binds its name to it. Returns its number. Without a
  /// type, the value has one that is no tensor.
  std::size_t define(std::string_view name, std::size_t at, std::string_view op,
                     DumpTypePtr type);
  /// Lets a name stand for a value until its region ends.
  void bind(std::string_view name, std::size_t value);
  /// The number of the value that a name stands for, or kUnknown. `%0#0` may be
  /// defined as `%0`.
  std::size_t find(std::string_view name) const;

  /// Names that are bound from here on end with `leave`.
  std::size_t enter() const { return shadowed.size(); }
  void leave(std::size_t entered);
  /// Forgets everything.
  void clear();

private:
  std::vector<DumpValue> all;
  llvm::StringMap<std::size_t> numbers;
  /// Names that were bound, and what they stood for before.
  std::vector<std::pair<std::string, std::size_t>> shadowed;
};

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
  void addOperand(Statement &statement, const LogToken &token,
                  std::string_view group);
  void readList(Statement &statement, const LogToken &open,
                std::string_view word);

  DumpLexer &lexer;
  DumpVisitor &visitor;
  DumpTypeReader &types;
  DumpScope &scope;
};

} // namespace npu

#endif // NPU_LIB_TRANSLATION_DUMP_STATEMENTREADER_H
