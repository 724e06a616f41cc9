// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception

#include "npu/Support/ParserLimits.h"

#include "mlir/Bytecode/BytecodeReader.h"
#include "mlir/IR/Diagnostics.h"
#include "mlir/IR/Location.h"
#include "llvm/ADT/StringExtras.h"
#include "llvm/ADT/StringMap.h"

using llvm::StringRef;

namespace npu {
namespace {

bool isInName(char c) {
  return llvm::isAlnum(c) || c == '_' || c == '$' || c == '.';
}

/// Goes through a text once, from token to token.
class TextScan {
public:
  TextScan(StringRef text, unsigned deepest) : text(text), deepest(deepest) {}

  std::optional<size_t> findTooDeep() {
    while (at < text.size()) {
      size_t begin = at;
      endDefinition(text[at]);
      if (!readToken())
        return begin;
      StringRef token = text.slice(begin, at);
      if (llvm::isSpace(token.back()) || token.starts_with("//"))
        continue;
      goesOn = token == "=" || token == ":" || token == "," || token == "->";
      seePermutation(begin, token);
    }
    return std::nullopt;
  }

  /// Where a `linalg.transpose` says that its permutation is empty, up to where
  /// the text is too deep: upstream takes the largest of its numbers, which are
  /// none, for the last dimension.
  std::optional<size_t> emptyPermutation() const { return foundEmpty; }

private:
  /// An open bracket, and the level outside of it.
  struct Open {
    char bracket;
    unsigned outside;
  };

  /// Sees `permutation = []`, and in the generic form `permutation =
  /// array<i64>`, token by token.
  void seePermutation(size_t begin, StringRef token) {
    StringRef name = token.trim('"');
    if (name.contains('.') && llvm::isAlpha(name.front()))
      operation = name;
    if (token == "permutation") {
      permutation = token.str();
      beginOfPermutation = begin;
      return;
    }
    if (permutation.empty())
      return;
    permutation += token;
    StringRef said = permutation;
    bool isEmpty = said == "permutation=[]" || said == "permutation=array<i64>";
    if (isEmpty && operation == "linalg.transpose" && !foundEmpty)
      foundEmpty = beginOfPermutation;
    if (isEmpty || !(StringRef("permutation=[]").starts_with(said) ||
                     StringRef("permutation=array<i64>").starts_with(said)))
      permutation.clear();
  }

  /// Reads one token, or one space; false where it is too deep.
  bool readToken() {
    char c = text[at];
    switch (c) {
    case '"':
      skipString();
      return true;
    case '/':
      at = text.substr(at).starts_with("//") ? text.find('\n', at) : at + 1;
      at = std::min(at, text.size());
      return true;
    case '\n':
      ++at;
      isLineAfter = true;
      return true;
    case ',':
      ++at;
      level = open.empty() ? 0 : open.back().outside + 1;
      return true;
    case '(':
    case '[':
    case '{':
      return enter(c);
    case '<':
    case '>':
      return readAngle(c);
    case ')':
      return leave('(');
    case ']':
      return leave('[');
    case '}':
      return leave('{');
    case '+':
    case '*':
    case '-':
      if (text.substr(at).starts_with("->")) {
        at += 2;
        return true;
      }
      ++at;
      return addOperator();
    case '#':
    case '!':
      return readAlias();
    case '%':
    case '@':
    case '^':
      ++at;
      readName();
      return true;
    default:
      if (!isInName(c)) {
        ++at;
        return true;
      }
      StringRef name = readName();
      return !llvm::is_contained({"mod", "floordiv", "ceildiv"}, name) ||
             addOperator();
    }
  }

  StringRef readName() {
    StringRef name = text.substr(at).take_while(isInName);
    at += name.size();
    return name;
  }

  void skipString() {
    do {
      at = text.find_first_of("\"\\\n", at + 1);
      // The character after a backslash does not end the string.
      if (at != StringRef::npos && text[at] == '\\')
        ++at;
      else
        break;
    } while (true);
    // A line ends a string as well, which is an error then.
    at = at == StringRef::npos ? text.size() : at + 1;
  }

  bool enter(char bracket) {
    ++at;
    open.push_back({bracket, level});
    return see(++level);
  }

  /// Brackets stand around those in them, also where a '<' between them is no
  /// bracket. What does not match is left to the parser.
  bool leave(char bracket) {
    ++at;
    size_t matching = open.size();
    while (matching > 0 && open[matching - 1].bracket == '<' && bracket != '<')
      --matching;
    if (matching > 0 && open[matching - 1].bracket == bracket) {
      level = open[matching - 1].outside;
      open.truncate(matching - 1);
    }
    return true;
  }

  /// A bracket, or a comparison in an affine set.
  bool readAngle(char c) {
    if (text.substr(at + 1).starts_with("=")) {
      at += 2;
      return true;
    }
    return c == '<' ? enter(c) : leave('<');
  }

  /// The parser of affine expressions calls itself for every operator. There
  /// are none in a region, between whose operations no comma stands.
  bool addOperator() {
    return open.empty() || open.back().bracket == '{' || see(++level);
  }

  /// Reads `#name` or `!name`, which stands for what is defined as it.
  bool readAlias() {
    size_t begin = at++;
    readName();
    StringRef name = text.slice(begin, at);
    StringRef rest = text.substr(at).ltrim(" \t");
    if (open.empty() && rest.starts_with("=") && !rest.starts_with("==")) {
      define(name);
      return true;
    }
    auto alias = aliases.find(name);
    return alias == aliases.end() || see(level + alias->second);
  }

  /// A definition ends with its line, unless the line, or the token `c` of the
  /// next one, goes on.
  void endDefinition(char c) {
    if (!isLineAfter || llvm::isSpace(c) || c == '/')
      return;
    isLineAfter = false;
    if (open.empty() && !goesOn && c != ':' && c != ',')
      define("");
  }

  /// Ends a definition, if there is one, and begins that of `next`.
  void define(StringRef next) {
    if (!defined.empty())
      aliases[defined] = levelOfDefinition;
    defined = next;
    levelOfDefinition = 0;
  }

  bool see(unsigned seen) {
    levelOfDefinition = std::max(levelOfDefinition, seen);
    return seen <= deepest;
  }

  StringRef text;
  unsigned deepest;
  size_t at = 0;
  unsigned level = 0;
  /// Whether the last token wants another one after it.
  bool goesOn = false;
  /// Whether a line has ended after the last token.
  bool isLineAfter = false;
  llvm::SmallVector<Open> open;
  llvm::StringMap<unsigned> aliases;
  /// The alias that is being defined, if any, and the levels of its definition.
  StringRef defined;
  unsigned levelOfDefinition = 0;
  /// The last name that is one of an operation, and what of its permutation has
  /// been read.
  StringRef operation;
  std::string permutation;
  size_t beginOfPermutation = 0;
  std::optional<size_t> foundEmpty;
};

} // namespace

std::optional<size_t> findTooDeep(StringRef text, unsigned deepest) {
  if (mlir::isBytecode(llvm::MemoryBufferRef(text, "")))
    return std::nullopt;
  return TextScan(text, deepest).findTooDeep();
}

std::optional<ParserFault> findParserFault(StringRef text) {
  if (mlir::isBytecode(llvm::MemoryBufferRef(text, "")))
    return std::nullopt;
  TextScan scan(text, maxNesting);
  std::optional<size_t> tooDeep = scan.findTooDeep();
  if (std::optional<size_t> at = scan.emptyPermutation())
    return ParserFault{*at,
                       "'linalg.transpose': expected a permutation of at least "
                       "one dimension, got []"};
  if (tooDeep)
    return ParserFault{*tooDeep, "expected at most " +
                                     std::to_string(maxNesting) +
                                     " levels of brackets and operators, got "
                                     "more"};
  return std::nullopt;
}

mlir::LogicalResult checkText(llvm::MemoryBufferRef file,
                              mlir::MLIRContext *context) {
  std::optional<ParserFault> fault = findParserFault(file.getBuffer());
  if (!fault)
    return mlir::success();
  StringRef before = file.getBuffer().take_front(fault->at);
  size_t line = before.count('\n') + 1;
  size_t column = before.size() - (before.rfind('\n') + 1) + 1;
  return mlir::emitError(mlir::FileLineColLoc::get(
             context, file.getBufferIdentifier(), line, column))
         << fault->message;
}

mlir::LogicalResult checkNesting(mlir::Operation *root) {
  // Upstream's walks call themselves for every level.
  llvm::SmallVector<std::pair<mlir::Operation *, unsigned>> next = {{root, 0}};
  while (!next.empty()) {
    auto [op, level] = next.pop_back_val();
    if (level > maxNesting)
      return mlir::emitError(op->getLoc())
             << "expected operations inside of at most " << maxNesting
             << " others, got more";
    for (mlir::Region &region : op->getRegions())
      for (mlir::Operation &inside : region.getOps())
        next.push_back({&inside, level + 1});
  }
  return mlir::success();
}

} // namespace npu
