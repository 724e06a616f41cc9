// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception

#include "DumpTypeReader.h"

namespace npu {

using Kind = DumpToken::Kind;

bool beginsType(const DumpLexer &at) {
  const DumpToken &token = at.peek();
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
    DumpToken token = inside.take();
    if (token.kind != Kind::Type || !inside.peek().is("<"))
      continue;
    BracketEnd end = endOfBracket(value, inside.peek().at);
    read(value.substr(token.at, end.at - token.at), offset + token.at);
    inside.jump(end.at);
  }
}

} // namespace npu
