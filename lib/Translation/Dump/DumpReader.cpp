// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception

#include "DumpReader.h"

#include "llvm/ADT/STLExtras.h"
#include "llvm/ADT/StringSwitch.h"

#include <fmt/format.h>

namespace npu {

std::optional<std::string_view>
DumpOperation::attribute(std::initializer_list<std::string_view> names) const {
  for (std::string_view name : names)
    for (const auto &[key, value] : attributes)
      if (key == name)
        return value;
  return std::nullopt;
}

namespace {

using Kind = DumpToken::Kind;

/// Regions inside regions.
constexpr int kMaxDepth = 100;

bool isFunction(std::string_view op) {
  return op == "func.func" || op == "func" || op == "VPUIPDPU.func";
}

/// Operations whose region has the tiled operation, which makes the results.
bool isWrapper(std::string_view op) {
  return op == "VPU.NCE.ClusterTiling" || op == "VPUIP.NCEClusterTiling";
}

bool isTerminator(std::string_view op) {
  return op == "VPU.Yield" || op == "VPUIP.Yield" || op == "return" ||
         op == "func.return";
}

/// Operations without a '.' in their name.
bool isPlainOpName(std::string_view word) {
  return word == "return" || word == "module" || word == "func" ||
         word == "DPUTask" || word == "PPETask" || word == "DataInfo";
}

std::string_view unquoted(std::string_view text) {
  if (text.size() > 1 && text.front() == '"' && text.back() == '"')
    return text.substr(1, text.size() - 2);
  return text;
}

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
  /// The first of `types` behind the last arrow; npos without an arrow.
  std::size_t firstResultType = std::string_view::npos;
  std::string_view symbol;
  bool defined = false;
};

class Reader {
public:
  Reader(std::string_view text, DumpVisitor &visitor)
      : text(text), visitor(visitor), lexer(text) {}

  void run() {
    while (lexer.peek().kind != Kind::End) {
      readRegion(0);
      if (lexer.peek().is("}")) {
        visitor.skip(lexer.peek().at, "'}'", "nothing is open here");
        lexer.take();
      } else if (lexer.peek().startsPart && inFunction) {
        endFunction();
      }
    }
    if (inFunction)
      endFunction();
  }

private:
  /// Reads statements up to a '}' that closes the region, which stays, or to
  /// the end of this part of the file.
  void readRegion(int depth) {
    std::size_t names = shadowed.size();
    int outer = std::exchange(regionDepth, depth);
    readStatements(depth);
    regionDepth = outer;
    // Names that are defined in a region end with it.
    for (; shadowed.size() > names; shadowed.pop_back()) {
      auto &[name, before] = shadowed.back();
      if (before == DumpOperand::kUnknown)
        numbers.erase(name);
      else
        numbers[name] = before;
    }
  }

  void readStatements(int depth) {
    bool isFirst = true;
    for (;; isFirst = false) {
      const DumpToken &token = lexer.peek();
      if (token.kind == Kind::End || token.is("}"))
        return;
      if (token.startsPart && depth > 0) {
        if (isFirst || !partEnds) {
          visitor.skip(token.at, "a part of the file",
                       "the part before it ends inside a region");
          partEnds = true;
        }
        return;
      }
      partEnds = false;
      if (token.startsPart && inFunction)
        endFunction();
      std::size_t before = token.at;
      readStatement(depth);
      // Whatever stands there, go on behind it.
      if (lexer.peek().at == before && lexer.peek().kind != Kind::End &&
          !lexer.peek().is("}"))
        lexer.take();
    }
  }

  void readStatement(int depth) {
    DumpToken token = lexer.peek();
    if (token.kind == Kind::Type || token.kind == Kind::Attribute)
      return readAlias();
    if (token.kind == Kind::Block)
      return readBlock();
    Statement statement;
    statement.op.at = token.at;
    if (token.kind == Kind::Value && !readResults(statement))
      return skipLine(token, "no operation defines these values");
    if (lexer.peek().kind != Kind::Word && lexer.peek().kind != Kind::String)
      return skipLine(token, "it begins no operation");
    statement.op.name = unquoted(lexer.take().text);
    if (isFunction(statement.op.name))
      return readFunction(statement, depth);
    readBody(statement, depth);
    finish(statement);
  }

  /// Passes over the rest of the line that `first` begins.
  void skipLine(const DumpToken &first, std::string why) {
    visitor.skip(first.at, fmt::format("'{}'", first.text.substr(0, 32)),
                 std::move(why));
    while (lexer.peek().kind != Kind::End && !lexer.peek().startsLine &&
           !lexer.peek().is("}"))
      lexer.take();
  }

  /// !name = ... or #name = ..., to the end of the value.
  void readAlias() {
    DumpToken name = lexer.take();
    if (!lexer.takeIf("="))
      return skipLine(name, "it begins no statement");
    // Dumps of before 2023 say `!name = type ...`.
    if (lexer.peek().isWord("type"))
      lexer.take();
    std::size_t begin = lexer.peek().at;
    // The value may go on over lines while a bracket is open.
    while (lexer.peek().kind != Kind::End) {
      DumpToken token = lexer.take();
      if (token.opens()) {
        BracketEnd end = endOfBracket(text, token.at);
        lexer.jump(end.at);
        if (!end.closed) {
          visitor.skip(name.at, fmt::format("alias {}", name.text),
                       "its value does not end");
          return;
        }
      }
      if (lexer.peek().startsLine && !lexer.peek().is("<") &&
          !lexer.peek().is("->"))
        break;
    }
    std::string_view value =
        trimmed(text.substr(begin, lexer.endOfPrevious() - begin));
    types.define(name.text, value);
    if (name.kind == Kind::Type)
      readType(value, name.at);
  }

  /// ^bb0(%a: type, ...):
  void readBlock() {
    lexer.take();
    if (lexer.peek().is("(")) {
      Statement block;
      block.op.name = "block";
      lexer.take();
      readOperandsUntilClosed(block);
      for (const Statement::Operand &operand : block.operands)
        define(operand.operand.name, operand.at, "block", operand.type);
    }
    lexer.takeIf(":");
  }

  void readOperandsUntilClosed(Statement &statement) {
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

  /// %0 =, %0:2 =, %0, %1 =
  bool readResults(Statement &statement) {
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
      statement.results.push_back({name, count});
      if (lexer.takeIf("="))
        return true;
      if (!lexer.takeIf(","))
        return false;
    }
  }

  void readFunction(Statement &statement, int depth) {
    bool nested = inFunction;
    if (nested)
      endFunction();
    DumpLexer ahead = lexer;
    while (ahead.peek().kind == Kind::Word)
      ahead.take();
    std::string_view name =
        ahead.peek().kind == Kind::Symbol ? ahead.peek().text.substr(1) : "";
    beginFunction(unquoted(name), statement.op.at);
    readBody(statement, depth);
    if (!statement.defined)
      defineArguments(statement);
    endFunction();
  }

  void beginFunction(std::string_view name, std::size_t at) {
    inFunction = true;
    visitor.beginFunction(name, at);
  }
  void endFunction() {
    visitor.endFunction(values);
    inFunction = false;
    values.clear();
    numbers.clear();
    shadowed.clear();
  }

  void bind(std::string_view name, std::size_t value) {
    auto [it, isNew] = numbers.try_emplace(name, value);
    shadowed.push_back(
        {std::string(name), isNew ? DumpOperand::kUnknown : it->second});
    it->second = value;
  }
  /// Operations may stand outside of any function in parts of a dump.
  void needFunction(std::size_t at) {
    if (!inFunction)
      beginFunction("", at);
  }

  void defineArguments(Statement &statement) {
    statement.defined = true;
    for (const Statement::Operand &operand : statement.operands)
      define(operand.operand.name, operand.at, "func.func", operand.type);
  }

  /// Reads everything of a statement behind its name.
  void readBody(Statement &statement, int depth) {
    std::vector<char> open;
    std::string_view group;
    bool isFirst = true;
    while (!ends(statement, open, isFirst)) {
      isFirst = false;
      if (readOperand(statement, group) || readTypeHere(statement))
        continue;
      DumpToken token = lexer.peek();
      if (token.is("{")) {
        if (!readBraces(statement, depth))
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
        BracketEnd end = endOfBracket(text, token.at);
        statement.op.lists.push_back(text.substr(token.at, end.at - token.at));
        readValuesInside(statement, token.at + 1, end.at);
        lexer.jump(end.at);
        continue;
      }
      if (token.opens())
        open.push_back(token.text[0]);
      if (token.closes() && !open.empty()) {
        open.pop_back();
        if (open.empty())
          group = "";
      }
    }
  }

  /// Values in a list, such as sizes that are not constants.
  void readValuesInside(Statement &statement, std::size_t begin,
                        std::size_t end) {
    for (DumpLexer inside(text, begin);
         inside.peek().at < end && inside.peek().kind != Kind::End;)
      if (DumpToken token = inside.take(); token.kind == Kind::Value)
        addOperand(statement, token, "");
  }

  /// Whether the statement ends before the current token.
  bool ends(const Statement &statement, const std::vector<char> &open,
            bool isFirst) {
    const DumpToken &token = lexer.peek();
    if (token.kind == Kind::End || token.startsPart ||
        beginsDefinition(lexer)) {
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

  bool readOperand(Statement &statement, std::string_view group) {
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
        operand.type = readTypeToken();
      }
    }
    return true;
  }

  void addOperand(Statement &statement, const DumpToken &token,
                  std::string_view group) {
    DumpOperand operand;
    operand.name = token.text;
    operand.group = group;
    auto it = numbers.find(token.text);
    // %0 may be the first of several results.
    if (it == numbers.end() && token.text.ends_with("#0"))
      it = numbers.find(token.text.substr(0, token.text.size() - 2));
    if (it != numbers.end())
      operand.value = it->second;
    statement.operands.push_back({operand, nullptr, "", token.at});
  }

  static bool beginsType(const DumpLexer &at) {
    const DumpToken &token = at.peek();
    if (token.kind == Kind::Type)
      return true;
    if (!token.isWord("tensor") && !token.isWord("memref"))
      return false;
    DumpLexer ahead = at;
    ahead.take();
    return ahead.peek().is("<");
  }

  bool readTypeHere(Statement &statement) {
    if (!beginsType(lexer))
      return false;
    statement.types.push_back(readTypeToken());
    return true;
  }

  /// Reads the type that begins at the current token.
  DumpTypePtr readTypeToken() {
    std::size_t begin = lexer.take().at;
    if (!lexer.peek().is("<") || lexer.peek().at != lexer.endOfPrevious())
      return readType(text.substr(begin, lexer.endOfPrevious() - begin), begin);
    BracketEnd end = endOfBracket(text, lexer.peek().at);
    lexer.jump(end.at);
    if (end.closed)
      return readType(text.substr(begin, end.at - begin), begin);
    std::string_view head =
        text.substr(begin, 64).substr(0, text.substr(begin, 64).find('<'));
    bool distributes = head.find(".Distributed") != std::string_view::npos;
    visitor.skip(begin, std::string(head), "nothing closes the type");
    visitor.countTypes(distributes, 0);
    return std::make_shared<const DumpType>();
  }

  DumpTypePtr readType(std::string_view spelled, std::size_t at) {
    DumpTypePtr type = types.read(spelled);
    // The types inside an alias are counted where it is defined.
    if (spelled.find('<') != std::string_view::npos) {
      visitor.countTypes(type->written, type->read);
      if (!type->problem.empty() && type->written)
        visitor.skip(at, std::string(spelled.substr(0, spelled.find('<'))),
                     type->problem);
    }
    if (spelled.starts_with("!VPUIP.ITIBuffer"))
      visitor.skip(at, "!VPUIP.ITIBuffer",
                   "it is one tile's buffer, not a distributed tensor");
    return type;
  }

  /// Reads a dictionary or a region. Returns whether the statement goes on.
  bool readBraces(Statement &statement, int depth) {
    DumpLexer ahead = lexer;
    ahead.take();
    if (!beginsRegion(ahead)) {
      readDictionary(statement);
      return true;
    }
    if (depth == kMaxDepth) {
      visitor.skip(lexer.peek().at, "a region",
                   fmt::format("it is inside {} others", kMaxDepth));
      lexer.jump(endOfBracket(text, lexer.peek().at).at);
      return true;
    }
    lexer.take();
    bool function = isFunction(statement.op.name);
    if (function)
      defineArguments(statement);
    else
      defineResults(statement);
    if (statement.op.name == "module" || statement.op.name == "builtin.module")
      visitor.beginModule(statement.op);
    if (isWrapper(statement.op.name))
      readWrapped(statement, depth);
    else
      readRegion(depth + 1);
    if (lexer.takeIf("}"))
      return true;
    visitor.skip(
        statement.op.at,
        fmt::format("the end of '{}'", statement.op.name.substr(0, 64)),
        "nothing closes its region");
    return false;
  }

  static bool beginsRegion(DumpLexer &inside) {
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

  /// {name = value, name, ...}
  void readDictionary(Statement &statement) {
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
      statement.op.attributes.push_back({name, value});
      if (value.find(".Distributed") != std::string_view::npos)
        countTypesInside(value);
    }
    lexer.jump(end.at);
  }

  /// Distributed types that are attributes are counted like all others.
  void countTypesInside(std::string_view value) {
    std::size_t offset = value.data() - text.data();
    for (DumpLexer inside(value); inside.peek().kind != Kind::End;) {
      DumpToken token = inside.take();
      if (token.kind != Kind::Type || !inside.peek().is("<"))
        continue;
      BracketEnd end = endOfBracket(value, inside.peek().at);
      readType(value.substr(token.at, end.at - token.at), offset + token.at);
      inside.jump(end.at);
    }
  }

  /// Reads the region of an operation that tiles the one inside: operands have
  /// names inside, and the result of the inner operation is that of the outer.
  void readWrapped(Statement &outer, int depth) {
    for (const Statement::Operand &operand : outer.operands)
      if (!operand.boundAs.empty() &&
          operand.operand.value != DumpOperand::kUnknown)
        bind(operand.boundAs, operand.operand.value);
    std::vector<DumpOperation> inner;
    auto before = std::pair(std::exchange(deferred, &inner),
                            std::exchange(deferredDepth, depth + 1));
    readRegion(depth + 1);
    std::tie(deferred, deferredDepth) = before;
    llvm::erase_if(
        inner, [](const DumpOperation &op) { return isTerminator(op.name); });
    if (inner.size() != 1)
      return;
    // The results of buffers' operations are those of the outer one, and often
    // have no name inside.
    inner[0].results = outer.op.results;
    isDone = true;
    emit(inner[0]);
  }

  std::size_t define(std::string_view name, std::size_t at, std::string_view op,
                     DumpTypePtr type) {
    needFunction(at);
    if (!type)
      type = std::make_shared<const DumpType>();
    std::size_t number = values.size();
    bind(name, number);
    values.push_back({std::string(name), at, op, std::move(type)});
    // Values inside a wrapper have no boxes of their own.
    if (deferred)
      values.back().op = {};
    return number;
  }

  void defineResults(Statement &statement) {
    if (statement.defined)
      return;
    statement.defined = true;
    if (!statement.results.empty())
      needFunction(statement.op.at);
    llvm::ArrayRef<DumpTypePtr> known = statement.types;
    bool arrow = statement.firstResultType != std::string_view::npos;
    if (arrow)
      known =
          known.drop_front(std::min(statement.firstResultType, known.size()));
    else if (known.size() > 1)
      known = known.take_back(1);
    std::size_t next = 0;
    for (auto [name, count] : statement.results)
      for (unsigned i = 0; i < count; ++i, ++next) {
        DumpTypePtr type = known.empty()         ? nullptr
                           : next < known.size() ? known[next]
                           : arrow               ? nullptr
                                                 : known.back();
        std::string full =
            count == 1 ? std::string(name) : fmt::format("{}#{}", name, i);
        statement.op.results.push_back(
            define(full, statement.op.at, statement.op.name, type));
      }
  }

  void finish(Statement &statement) {
    defineResults(statement);
    if (std::exchange(isDone, false))
      return;
    llvm::ArrayRef<DumpTypePtr> functional =
        llvm::ArrayRef(statement.types)
            .take_front(
                std::min(statement.firstResultType, statement.types.size()));
    bool hasFunctional = functional.size() == statement.operands.size();
    for (auto [i, operand] : llvm::enumerate(statement.operands)) {
      if (!operand.type && hasFunctional)
        operand.type = functional[i];
      // A value that is defined nowhere, in a part of a dump, has the type that
      // is written of it here.
      if (operand.operand.value == DumpOperand::kUnknown && operand.type &&
          operand.type->isDistributed())
        operand.operand.value =
            define(operand.operand.name, operand.at, "undefined", operand.type);
      statement.op.operands.push_back(operand.operand);
    }
    statement.op.end = lexer.endOfPrevious();
    emit(statement.op);
  }

  void emit(const DumpOperation &op) {
    if (deferred) {
      if (regionDepth == deferredDepth)
        deferred->push_back(op);
    } else if (inFunction) {
      visitor.visit(op, values, types);
    }
  }

  std::string_view text;
  DumpVisitor &visitor;
  DumpLexer lexer;
  DumpTypes types;
  bool inFunction = false;
  /// Whether the end of a part inside of a region has been reported.
  bool partEnds = false;
  /// Whether the statement's operation has been emitted as the one inside.
  bool isDone = false;
  /// Where operations directly inside a wrapper at that depth go.
  std::vector<DumpOperation> *deferred = nullptr;
  int deferredDepth = 0;
  int regionDepth = 0;
  std::vector<DumpValue> values;
  llvm::StringMap<std::size_t> numbers;
  /// Names that were bound, and what they stood for before.
  std::vector<std::pair<std::string, std::size_t>> shadowed;
};

} // namespace

void readNpuDump(std::string_view text, DumpVisitor &visitor) {
  Reader(text, visitor).run();
}

} // namespace npu
