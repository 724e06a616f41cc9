// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception

#include "StatementReader.h"

#include "llvm/ADT/StringRef.h"

#include <fmt/format.h>

namespace npu {
std::size_t DumpScope::define(std::string_view name, std::size_t at,
                              std::string_view op, DumpTypePtr type) {
  if (!type)
    type = std::make_shared<const DumpType>();
  bind(name, all.size());
  all.push_back({std::string(name), at, op, std::move(type)});
  return all.size() - 1;
}

void DumpScope::bind(std::string_view name, std::size_t value) {
  auto [it, isNew] = numbers.try_emplace(name, value);
  shadowed.emplace_back(name, isNew ? DumpOperand::kUnknown : it->second);
  it->second = value;
}

std::size_t DumpScope::find(std::string_view name) const {
  auto it = numbers.find(name);
  if (it == numbers.end() && name.ends_with("#0"))
    it = numbers.find(name.substr(0, name.size() - 2));
  return it == numbers.end() ? DumpOperand::kUnknown : it->second;
}

void DumpScope::leave(std::size_t entered) {
  for (; shadowed.size() > entered; shadowed.pop_back()) {
    auto &[name, before] = shadowed.back();
    if (before == DumpOperand::kUnknown)
      numbers.erase(name);
    else
      numbers[name] = before;
  }
}

void DumpScope::clear() {
  all.clear();
  numbers.clear();
  shadowed.clear();
}

using Kind = LogToken::Kind;

bool beginsType(const DumpLexer &at) {
  const LogToken &token = at.peek();
  if (token.kind == Kind::Type)
    return true;
  if (!token.isWord("tensor") && !token.isWord("memref"))
    return false;
  DumpLexer ahead = at;
  ahead.take();
  return ahead.peek().is("<");
}

std::string_view unquoted(std::string_view text) {
  if (text.size() > 1 && text.front() == '"' && text.back() == '"')
    return text.substr(1, text.size() - 2);
  return text;
}

DumpTypePtr DumpTypeReader::readHere() {
  std::string_view text = lexer.whole();
  std::size_t begin = lexer.take().at;
  if (!lexer.peek().is("<") || lexer.peek().at != lexer.endOfPrevious())
    return read(text.substr(begin, lexer.endOfPrevious() - begin), begin);
  BracketEnd end = endOfBracket(text, lexer.peek().at);
  lexer.jump(end.at);
  if (end.closed)
    return read(text.substr(begin, end.at - begin), begin);
  std::string_view head =
      text.substr(begin, 64).substr(0, text.substr(begin, 64).find('<'));
  bool distributes = head.find(".Distributed") != std::string_view::npos;
  visitor.skip(begin, std::string(head), "nothing closes the type");
  visitor.countTypes(distributes, 0);
  return std::make_shared<const DumpType>();
}

DumpTypePtr DumpTypeReader::read(std::string_view spelled, std::size_t at) {
  DumpTypePtr type = types.read(spelled);
  // The types inside an alias are counted where it is defined.
  if (spelled.find('<') != std::string_view::npos) {
    visitor.countTypes(type->written, type->read);
    if (!type->problem.empty() && type->written)
      visitor.skip(at, std::string(spelled.substr(0, spelled.find('<'))),
                   type->problem);
  } else if (!type->problem.empty() && undefined.insert(spelled).second)
    visitor.skip(at, std::string(spelled), type->problem);
  if (spelled.starts_with("!VPUIP.ITIBuffer"))
    visitor.skip(at, "!VPUIP.ITIBuffer",
                 "it is one tile's buffer, not a distributed tensor");
  return type;
}

void DumpTypeReader::readDictionary(
    std::vector<std::pair<std::string_view, std::string_view>> &entries) {
  std::string_view text = lexer.whole();
  BracketEnd end = endOfBracket(text, lexer.peek().at);
  if (!end.closed)
    visitor.skip(lexer.peek().at, "attributes", "nothing closes their '{'");
  std::size_t begin = lexer.peek().end();
  std::string_view inside =
      text.substr(begin, end.at - begin - (end.closed ? 1 : 0));
  for (std::string_view part : splitList(inside)) {
    DumpLexer entry(part);
    std::string_view name = unquoted(entry.take().text);
    std::string_view value;
    if (entry.takeIf("="))
      value =
          types.resolve(part.substr(std::min(entry.peek().at, part.size())));
    entries.emplace_back(name, value);
    if (value.find(".Distributed") != std::string_view::npos)
      countInside(value);
  }
  lexer.jump(end.at);
}

/// Distributed types that are attributes are counted like all others.
void DumpTypeReader::countInside(std::string_view value) {
  std::size_t offset = value.data() - lexer.whole().data();
  for (DumpLexer inside(value); inside.peek().kind != Kind::End;) {
    LogToken token = inside.take();
    if (token.kind != Kind::Type || !inside.peek().is("<"))
      continue;
    BracketEnd end = endOfBracket(value, inside.peek().at);
    read(value.substr(token.at, end.at - token.at), offset + token.at);
    inside.jump(end.at);
  }
}

using Kind = LogToken::Kind;

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
  LogToken first = inside.take();
  const LogToken &second = inside.peek();
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
    LogToken token = lexer.take();
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
    LogToken token = lexer.peek();
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
    if (token.kind == Kind::Symbol)
      statement.op.callee = token.text;
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
void StatementReader::readList(Statement &statement, const LogToken &open,
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
    if (LogToken token = inside.take(); token.kind == Kind::Value)
      addOperand(statement, token, "");
  lexer.jump(end.at);
}

/// Whether the statement ends before the current token.
bool StatementReader::ends(const Statement &statement,
                           const std::vector<char> &open, bool isFirst) {
  const LogToken &token = lexer.peek();
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
  LogToken token = lexer.take();
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

void StatementReader::addOperand(Statement &statement, const LogToken &token,
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
