// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception

#include "StatementReader.h"

#include "llvm/ADT/StringRef.h"

#include <fmt/format.h>

namespace npu {

using Kind = DumpToken::Kind;

/// Operations without a '.' in their name.
static bool isPlainOpName(std::string_view word) {
  return word == "return" || word == "module" || word == "func" ||
         word == "DPUTask" || word == "PPETask" || word == "DataInfo";
}

bool isTerminator(std::string_view op) {
  return op == "VPU.Yield" || op == "VPUIP.Yield" || op == "return" ||
         op == "func.return";
}

bool beginsRegion(const DumpLexer &brace) {
  DumpLexer inside = brace;
  inside.take();
  DumpToken first = inside.take();
  const DumpToken &second = inside.peek();
  if (first.is("}"))
    return false;
  if (first.kind == Kind::Value || first.kind == Kind::Block ||
      first.kind == Kind::Attribute || first.kind == Kind::Type)
    return true;
  if (first.kind == Kind::String)
    return second.is("(");
  if (first.kind != Kind::Word)
    return first.kind == Kind::End;
  if (isTerminator(first.text))
    return true;
  return !second.is("=") && !second.is(",") && !second.is("}") &&
         second.kind != Kind::End;
}

bool StatementReader::readResults(Statement &statement) {
  for (;;) {
    if (lexer.peek().kind != Kind::Value)
      return false;
    std::string_view name = lexer.take().text;
    unsigned count = 1;
    if (lexer.takeIf(":")) {
      if (llvm::StringRef(lexer.take().text).getAsInteger(10, count) ||
          count > 4096)
        return false;
    }
    statement.results.emplace_back(name, count);
    if (lexer.takeIf("="))
      return true;
    if (!lexer.takeIf(","))
      return false;
  }
}

void StatementReader::readArguments(Statement &statement) {
  int open = 1;
  while (lexer.peek().kind != Kind::End && !beginsDefinition(lexer) &&
         !lexer.peek().startsPart) {
    if (readOperand(statement, "") || readTypeHere(statement))
      continue;
    DumpToken token = lexer.take();
    open += token.is("(");
    open -= token.is(")");
    if (open == 0)
      return;
  }
}

void StatementReader::readBody(
    Statement &statement, llvm::function_ref<bool(Statement &)> readBraces) {
  std::vector<char> open;
  std::string_view group, word;
  bool isFirst = true;
  while (!ends(statement, open, isFirst)) {
    isFirst = false;
    if (readOperand(statement, group) || readTypeHere(statement))
      continue;
    DumpToken token = lexer.peek();
    if (token.is("{")) {
      if (!readBraces(statement))
        return;
      continue;
    }
    lexer.take();
    if (token.is("->") && open.empty())
      statement.firstResultType = statement.types.size();
    if (token.kind == Kind::Symbol && statement.symbol.empty())
      statement.symbol = token.text;
    if (token.kind == Kind::Word && open.empty())
      group = lexer.peek().is("(") ? token.text : "";
    if (token.is("[") && open.empty()) {
      readList(statement, token, word);
      word = "";
      continue;
    }
    word = token.kind == Kind::Word ? token.text : "";
    if (token.opens())
      open.push_back(token.text[0]);
    if (token.closes() && !open.empty()) {
      open.pop_back();
      if (open.empty())
        group = "";
    }
  }
}

/// Reads a list in brackets, which may have values, such as sizes that are not
/// constants.
void StatementReader::readList(Statement &statement, const DumpToken &open,
                               std::string_view word) {
  BracketEnd end = endOfBracket(lexer.whole(), open.at);
  std::string_view list = lexer.whole().substr(open.at, end.at - open.at);
  // Newer dumps have `rawFilterShape [16, 16, 3, 3]` outside of braces.
  if (word.empty())
    statement.op.lists.push_back(list);
  else
    statement.op.attributes.emplace_back(word, list);
  for (DumpLexer inside(lexer.whole(), open.end());
       inside.peek().at < end.at && inside.peek().kind != Kind::End;)
    if (DumpToken token = inside.take(); token.kind == Kind::Value)
      addOperand(statement, token, "");
  lexer.jump(end.at);
}

/// Whether the statement ends before the current token.
bool StatementReader::ends(const Statement &statement,
                           const std::vector<char> &open, bool isFirst) {
  const DumpToken &token = lexer.peek();
  if (token.kind == Kind::End || token.startsPart || beginsDefinition(lexer)) {
    if (!open.empty())
      visitor.skip(
          statement.op.at,
          fmt::format("the end of '{}'", statement.op.name.substr(0, 64)),
          fmt::format("nothing closes its '{}'", open.back()));
    return true;
  }
  if (!open.empty())
    return false;
  if (token.is("}"))
    return true;
  if (!token.startsLine || isFirst)
    return false;
  if (token.kind == Kind::Block)
    return true;
  DumpLexer ahead = lexer;
  ahead.take();
  if (token.kind == Kind::String)
    return ahead.peek().is("(");
  if (token.kind != Kind::Word || ahead.peek().is("="))
    return false;
  return token.text.find('.') != std::string_view::npos ||
         isPlainOpName(token.text);
}

bool StatementReader::readOperand(Statement &statement,
                                  std::string_view group) {
  if (lexer.peek().kind != Kind::Value)
    return false;
  DumpToken token = lexer.take();
  addOperand(statement, token, group);
  Statement::Operand &operand = statement.operands.back();
  if (lexer.peek().isWord("as")) {
    lexer.take();
    if (lexer.peek().kind == Kind::Value)
      operand.boundAs = lexer.take().text;
  }
  if (lexer.peek().is(":")) {
    DumpLexer ahead = lexer;
    ahead.take();
    if (beginsType(ahead)) {
      lexer.take();
      operand.type = types.readHere();
    }
  }
  return true;
}

void StatementReader::addOperand(Statement &statement, const DumpToken &token,
                                 std::string_view group) {
  statement.operands.push_back(
      {{scope.find(token.text), token.text, group}, nullptr, "", token.at});
}

bool StatementReader::readTypeHere(Statement &statement) {
  if (!beginsType(lexer))
    return false;
  statement.types.push_back(types.readHere());
  return true;
}

} // namespace npu
