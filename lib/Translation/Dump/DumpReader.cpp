// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception

#include "DumpReader.h"
#include "StatementReader.h"

#include "llvm/ADT/ArrayRef.h"
#include "llvm/ADT/STLExtras.h"

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

using Kind = LogToken::Kind;

/// Regions inside regions.
constexpr int kMaxDepth = 100;

bool isFunction(std::string_view op) {
  return op == "func.func" || op == "func" || op == "VPUIPDPU.func";
}

/// Operations whose region has the tiled operation, which makes the results.
bool isWrapper(std::string_view op) {
  return op == "VPU.NCE.ClusterTiling" || op == "VPUIP.NCEClusterTiling";
}

class Reader {
public:
  Reader(std::string_view text, DumpVisitor &visitor)
      : text(text), visitor(visitor), lexer(text), reader(lexer, visitor),
        statements(lexer, visitor, reader, scope) {}

  void run() {
    while (lexer.peek().kind != Kind::End && !visitor.isDone()) {
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
    std::size_t names = scope.enter();
    int outer = std::exchange(regionDepth, depth);
    readStatements(depth);
    regionDepth = outer;
    // Names that are defined in a region end with it.
    scope.leave(names);
  }

  void readStatements(int depth) {
    bool isFirst = true;
    for (;; isFirst = false) {
      const LogToken &token = lexer.peek();
      if (token.kind == Kind::End || token.is("}") || visitor.isDone())
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
      // Whatever stands there, go on after it.
      if (lexer.peek().at == before && lexer.peek().kind != Kind::End &&
          !lexer.peek().is("}"))
        lexer.take();
    }
  }

  void readStatement(int depth) {
    LogToken token = lexer.peek();
    if (token.kind == Kind::Type || token.kind == Kind::Attribute)
      return readAlias();
    if (token.kind == Kind::Block)
      return readBlock();
    Statement statement;
    statement.op.at = token.at;
    statement.functionsBefore = functionsRead;
    if (token.kind == Kind::Value && !statements.readResults(statement))
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
  void skipLine(const LogToken &first, std::string why) {
    visitor.skip(first.at, fmt::format("'{}'", first.text.substr(0, 32)),
                 std::move(why));
    while (lexer.peek().kind != Kind::End && !lexer.peek().startsLine &&
           !lexer.peek().is("}"))
      lexer.take();
  }

  /// !name = ... or #name = ..., to the end of the value.
  void readAlias() {
    LogToken name = lexer.take();
    if (!lexer.takeIf("="))
      return skipLine(name, "it begins no statement");
    // Dumps of before 2023 say `!name = type ...`.
    if (lexer.peek().isWord("type"))
      lexer.take();
    std::size_t begin = lexer.peek().at;
    // The value may go on over lines while a bracket is open.
    while (lexer.peek().kind != Kind::End) {
      LogToken token = lexer.take();
      if (token.opens()) {
        BracketEnd end = endOfBracket(text, token.at);
        lexer.jump(end.at);
        if (!end.closed) {
          visitor.skip(name.at, fmt::format("alias {}", name.text),
                       "its value does not end");
          return;
        }
      }
      if ((lexer.peek().startsLine && !lexer.peek().is("<") &&
           !lexer.peek().is("->")) ||
          beginsAlias())
        break;
    }
    std::string_view value =
        trimmed(text.substr(begin, lexer.endOfPrevious() - begin));
    reader.types.define(name.text, value);
    if (name.kind == Kind::Type)
      reader.read(value, name.at);
  }

  /// !name = or #name =
  bool beginsAlias() const {
    if (lexer.peek().kind != Kind::Type && lexer.peek().kind != Kind::Attribute)
      return false;
    DumpLexer ahead = lexer;
    ahead.take();
    return ahead.peek().is("=");
  }

  /// ^bb0(%a: type, ...):
  void readBlock() {
    lexer.take();
    if (lexer.peek().is("(")) {
      Statement block;
      block.op.name = "block";
      lexer.take();
      statements.readArguments(block);
      defineBlockArguments(block);
    }
    lexer.takeIf(":");
  }

  /// In the generic form, what a wrapper takes has other names inside.
  void defineBlockArguments(const Statement &block) {
    bool isWrapped = wrapper && regionDepth == deferredDepth &&
                     wrapper->operands.size() == block.operands.size();
    for (auto [i, argument] : llvm::enumerate(block.operands)) {
      std::size_t outer = isWrapped ? wrapper->operands[i].operand.value
                                    : DumpOperand::kUnknown;
      if (outer != DumpOperand::kUnknown)
        scope.bind(argument.operand.name, outer);
      else
        define(argument.operand.name, argument.at, "block", argument.type);
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
    visitor.endFunction(scope.values());
    inFunction = false;
    scope.clear();
    ++functionsRead;
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

  void readBody(Statement &statement, int depth) {
    statements.readBody(
        statement, [&](Statement &each) { return readBraces(each, depth); });
  }

  /// Reads a dictionary or a region. Returns whether the statement goes on.
  bool readBraces(Statement &statement, int depth) {
    if (!beginsRegion(lexer)) {
      reader.readDictionary(statement.op.attributes);
      return true;
    }
    if (depth == kMaxDepth) {
      visitor.skip(lexer.peek().at, "a region",
                   fmt::format("it is inside {} others", kMaxDepth));
      skipRegion();
      return true;
    }
    lexer.take();
    if (isFunction(statement.op.name))
      defineArguments(statement);
    else if (statement.firstResultType != std::string_view::npos ||
             statement.results.empty())
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

  /// Passes over a region with all that it has inside.
  void skipRegion() {
    int open = 0;
    do {
      LogToken token = lexer.take();
      open += token.is("{");
      open -= token.is("}");
    } while (open > 0 && lexer.peek().kind != Kind::End &&
             !lexer.peek().startsPart);
  }

  /// Reads the region of an operation that tiles the one inside: operands have
  /// names inside, and the result of the inner operation is that of the outer.
  void readWrapped(Statement &outer, int depth) {
    for (const Statement::Operand &operand : outer.operands)
      if (!operand.boundAs.empty() &&
          operand.operand.value != DumpOperand::kUnknown)
        scope.bind(operand.boundAs, operand.operand.value);
    std::vector<DumpOperation> inner;
    auto before = std::tuple(std::exchange(deferred, &inner),
                             std::exchange(deferredDepth, depth + 1),
                             std::exchange(wrapper, &outer));
    readRegion(depth + 1);
    std::tie(deferred, deferredDepth, wrapper) = before;
    llvm::erase_if(
        inner, [](const DumpOperation &op) { return isTerminator(op.name); });
    if (inner.size() == 1)
      outer.tiled = std::move(inner[0]);
  }

  std::size_t define(std::string_view name, std::size_t at, std::string_view op,
                     DumpTypePtr type) {
    needFunction(at);
    // Values inside a wrapper have no boxes of their own: they are not listed.
    return scope.define(name, at, deferred ? "" : op, std::move(type));
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
    // A module's values are nobody's, and neither are those of a function whose
    // text went on inside another one.
    if (statement.functionsBefore != functionsRead) {
      if (!statement.results.empty())
        visitor.skip(statement.op.at,
                     fmt::format("'{}'", statement.op.name.substr(0, 64)),
                     "a function stands inside");
      return;
    }
    defineResults(statement);
    if (statement.tiled) {
      // The results of buffers' operations are those of the outer one, and
      // often have no name inside.
      statement.tiled->results = statement.op.results;
      return emit(*statement.tiled);
    }
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
      visitor.visit(op, scope.values(), reader.types);
    }
  }

  std::string_view text;
  DumpVisitor &visitor;
  DumpLexer lexer;
  DumpTypeReader reader;
  DumpScope scope;
  StatementReader statements;
  bool inFunction = false;
  int64_t functionsRead = 0;
  /// Whether the end of a part inside of a region has been reported.
  bool partEnds = false;
  /// Where operations directly inside a wrapper at that depth go.
  std::vector<DumpOperation> *deferred = nullptr;
  int deferredDepth = 0;
  const Statement *wrapper = nullptr;
  int regionDepth = 0;
};

} // namespace

void readNpuDump(std::string_view text, DumpVisitor &visitor) {
  Reader(text, visitor).run();
}

bool holdsNpuDump(std::string_view text) {
  struct Finder : DumpVisitor {
    void beginModule(const DumpOperation &) override { found = true; }
    void beginFunction(std::string_view, std::size_t) override { found = true; }
    void visit(const DumpOperation &, const std::vector<DumpValue> &,
               const DumpTypes &) override {}
    void endFunction(const std::vector<DumpValue> &) override {}
    void skip(std::size_t, std::string, std::string) override {}
    void countTypes(unsigned written, unsigned) override {
      found |= written > 0;
    }
    bool isDone() const override { return found; }
    bool found = false;
  };
  Finder finder;
  readNpuDump(text, finder);
  return finder.found;
}

} // namespace npu
