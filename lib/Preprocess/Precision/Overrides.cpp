// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception

#include "Overrides.h"
#include "npu/Support/InputFiles.h"

#include "mlir/IR/Diagnostics.h"
#include "llvm/Support/MemoryBuffer.h"
#include "llvm/Support/Path.h"

using namespace mlir;

namespace npu {
namespace {

/// Reads one line from its begin to its end.
class LineReader {
public:
  LineReader(MLIRContext *context, StringRef file, unsigned number,
             StringRef line)
      : context(context), file(file), number(number), line(line), rest(line) {}

  /// Whether something other than a comment is left.
  bool hasMore() {
    rest = rest.ltrim(" \t\r");
    return !rest.empty() && rest.front() != '#';
  }

  FailureOr<Override> read() {
    Override result{{}, {}, here()};
    if (failed(readPattern(result.pattern)))
      return failure();
    while (hasMore())
      if (failed(readType(result.types)))
        return failure();
    if (Result<> problem = checkPrecision(result.types); !problem) {
      mlir::emitError(result.loc) << problem.error().message;
      return failure();
    }
    return result;
  }

private:
  Location here() const {
    return FileLineColLoc::get(context, file, number,
                               line.size() - rest.size() + 1);
  }

  LogicalResult readPattern(LocationPattern &pattern) {
    Location begin = here();
    if (rest.consume_front("\"")) {
      size_t end = rest.find('"');
      if (end == StringRef::npos)
        return mlir::emitError(begin) << "expected a quote after the name";
      pattern = {rest.take_front(end).str(), /*isName=*/true};
      rest = rest.drop_front(end + 1);
    } else {
      StringRef text = rest.take_until([](char c) { return isspace(c); });
      pattern = {text.str(), /*isName=*/false};
      rest = rest.drop_front(text.size());
    }
    bool isPlace = StringRef(pattern.text).contains(':') ||
                   StringRef(pattern.text).contains('*');
    if (pattern.text.empty() || (!pattern.isName && !isPlace))
      return mlir::emitError(begin)
             << "expected FILE:LINE, FILE:LINE:COLUMN or a name between "
                "quotes, got '"
             << pattern.text << "'";
    return success();
  }

  LogicalResult readType(Precision &types) {
    Location begin = here();
    StringRef word = rest.take_until(
        [](char c) { return c == ' ' || c == '\t' || c == '\r' || c == '#'; });
    auto [name, spelled] = word.split('=');
    const PrecisionKey *key = llvm::find_if(
        precisionKeys, [&, name = name](const PrecisionKey &each) {
          return each.name == name;
        });
    if (key == precisionKeys.end() || !word.contains('='))
      return mlir::emitError(begin) << "expected storage=TYPE, "
                                       "accumulation=TYPE or "
                                       "intermediate=TYPE, got '"
                                    << word << "'";
    if (types.*key->type)
      return mlir::emitError(begin) << key->name << " is said twice";
    types.*key->type = parsePrecisionType(context, spelled);
    if (!(types.*key->type))
      return mlir::emitError(begin)
             << "expected " << key->name << " to be one of "
             << listPrecisionTypes() << ", got '" << spelled << "'";
    rest = rest.drop_front(word.size());
    return success();
  }

  MLIRContext *context;
  StringRef file;
  unsigned number;
  StringRef line, rest;
};

} // namespace

FailureOr<SmallVector<Override>>
parseOverrides(MLIRContext *context, StringRef file, StringRef text) {
  SmallVector<Override> overrides;
  bool fine = true;
  // Editors may put a byte order mark in front, which is no part of the text.
  text.consume_front("\xEF\xBB\xBF");
  for (unsigned number = 1; !text.empty(); ++number) {
    auto [line, rest] = text.split('\n');
    text = rest;
    LineReader reader(context, file, number, line);
    if (!reader.hasMore())
      continue;
    FailureOr<Override> each = reader.read();
    if (succeeded(each))
      overrides.push_back(*each);
    fine &= succeeded(each);
  }
  if (!fine)
    return failure();
  return overrides;
}

FailureOr<SmallVector<Override>> readOverrides(Location loc, StringRef file) {
  noteInput("the overrides of precision", file.str());
  auto buffer = llvm::MemoryBuffer::getFile(file);
  if (!buffer)
    return mlir::emitError(loc) << "npu-set-precision: cannot read overrides '"
                                << file << "': " << buffer.getError().message();
  return parseOverrides(loc.getContext(), file, (*buffer)->getBuffer());
}

/// Whether `text` is `pattern` with something for each `*`.
static bool fitsWildcards(llvm::StringRef pattern, llvm::StringRef text) {
  // Where the last * stood, and what it has taken so far: it takes more when
  // what follows does not fit. The time is at most the product of the lengths.
  size_t p = 0, t = 0, star = llvm::StringRef::npos, taken = 0;
  while (t < text.size()) {
    if (p < pattern.size() && pattern[p] == '*') {
      star = p++;
      taken = t;
    } else if (p < pattern.size() && pattern[p] == text[t]) {
      ++p;
      ++t;
    } else if (star != llvm::StringRef::npos) {
      p = star + 1;
      t = ++taken;
    } else {
      return false;
    }
  }
  return pattern.drop_front(p).find_first_not_of('*') == llvm::StringRef::npos;
}

bool LocationPattern::names(Location loc) const {
  bool found = false;
  loc->walk([&](Location each) {
    if (auto name = dyn_cast<NameLoc>(each)) {
      found |= isName && fitsWildcards(text, name.getName().getValue());
    } else if (auto place = dyn_cast<FileLineColRange>(each);
               place && !isName) {
      std::string line = ":" + std::to_string(place.getStartLine());
      std::string column = ":" + std::to_string(place.getStartColumn());
      llvm::StringRef file = place.getFilename().getValue();
      for (llvm::StringRef path : {file, llvm::sys::path::filename(file)})
        found |= fitsWildcards(text, (path + line).str()) ||
                 fitsWildcards(text, (path + line + column).str());
    }
    return found ? WalkResult::interrupt() : WalkResult::advance();
  });
  return found;
}

} // namespace npu
