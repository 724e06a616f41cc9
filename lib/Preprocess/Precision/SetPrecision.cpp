// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// npu-set-precision: who asks for what, and the IR that computes so.

#include "npu/Preprocess/Precision/Passes.h"

#include "ComputeIn.h"
#include "Patterns/PrecisionPatterns.h"
#include "StableForms.h"
#include "npu/Dialect/NPU/IR/Precision.h"
#include "npu/Support/Decisions.h"
#include "npu/Support/InputFiles.h"

#include "mlir/Dialect/Arith/IR/Arith.h"
#include "mlir/Dialect/Tensor/IR/Tensor.h"
#include "mlir/IR/Diagnostics.h"
#include "llvm/ADT/MapVector.h"
#include "llvm/ADT/StringSwitch.h"
#include "llvm/Support/MemoryBuffer.h"
#include "llvm/Support/Path.h"

#include <string>

using namespace mlir;

namespace npu {

#define GEN_PASS_DEF_SETPRECISION
#include "npu/Preprocess/Precision/Passes.h.inc"

namespace {

// The file of overrides: types by location. Passes.td says how it is written.

/// Whether `text` is `pattern` with something for each `*`.
bool fitsWildcards(llvm::StringRef pattern, llvm::StringRef text) {
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

/// A place in a file, or a name; `*` stands for any characters.
///
/// Example: `model.mlir:12:*` names what line 12 of any model.mlir made, and
/// `models/model.mlir:12:8` what stands at one place of one file.
struct LocationPattern {
  std::string text;
  /// The name of a location, instead of a place.
  bool isName = false;

  /// Whether one of the places or names that `loc` has is meant: of what was
  /// fused, each; of what was inlined, its own and that of the call.
  bool names(Location loc) const {
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
};

/// One line.
struct Override {
  LocationPattern pattern;
  Precision types;
  /// The place of the line in its file.
  Location loc;
  /// An operation that it names and to which it says nothing, because that
  /// computes nothing; null where there is none.
  Operation *named = nullptr;
  /// Whether it says something to an operation.
  bool used = false;
};

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
      emitError(result.loc) << problem.error().message;
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
        return emitError(begin) << "expected a quote after the name";
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
      return emitError(begin)
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
      return emitError(begin) << "expected storage=TYPE, "
                                 "accumulation=TYPE or "
                                 "intermediate=TYPE, got '"
                              << word << "'";
    if (types.*key->type)
      return emitError(begin) << key->name << " is said twice";
    types.*key->type = parsePrecisionType(context, spelled);
    if (!(types.*key->type))
      return emitError(begin)
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

/// The same from text; `file` is its name in messages.
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

/// Reads a file. A failure has one error for each bad line, at its place.
FailureOr<SmallVector<Override>> readOverrides(Location loc, StringRef file) {
  noteInput("the overrides of precision", file.str());
  auto buffer = llvm::MemoryBuffer::getFile(file);
  if (!buffer)
    return emitError(loc) << "npu-set-precision: cannot read overrides '"
                          << file << "': " << buffer.getError().message();
  return parseOverrides(loc.getContext(), file, (*buffer)->getBuffer());
}

// What attributes, overrides and a policy say of each operation, and whose word
// counts.

enum class PrecisionPolicy { None, Accuracy, Performance };

/// What is asked of one operation.
struct Asked {
  /// By its attribute or an override, or else by the policy.
  Precision types;
  /// Who has asked: "its attribute", "overrides.txt:3:1", "policy=accuracy,
  /// squared distances".
  std::string who;
  /// Whether a policy asks for speed, which may cost accuracy.
  bool isForSpeed = false;
  /// The line that asks, for errors; the operation's own without one.
  std::optional<Location> line;
};

/// In program order.
using AskedOf = llvm::MapVector<Operation *, Asked>;

/// Whether overrides say something to an operation.
bool canBeSaid(Operation *op) {
  auto structured = dyn_cast<linalg::LinalgOp>(op);
  return structured && !computesNothing(structured);
}

/// What has been said of one operation, and where.
struct Said {
  Asked asked;
  std::array<std::optional<Location>, 3> places;
};

/// Adds `types`, which stand at `place`. A failure has said which contradicts.
LogicalResult add(Said &said, Operation *op, const Precision &types,
                  Location place, StringRef who) {
  for (auto [number, key] : llvm::enumerate(precisionKeys)) {
    Type type = types.*key.type;
    Type &known = said.asked.types.*key.type;
    if (!type)
      continue;
    if (known && known != type) {
      InFlightDiagnostic error = emitError(place)
                                 << key.name << " " << type
                                 << " contradicts what is said elsewhere of '"
                                 << op->getName() << "'";
      error.attachNote(*said.places[number]) << "here it is " << known;
      return error;
    }
    if (!known)
      said.places[number].emplace(place);
    known = type;
  }
  said.asked.who += (said.asked.who.empty() ? "" : " and ") + who.str();
  return success();
}

/// What attributes and overrides ask for in `function`. An error where two of
/// them say different types, or where the operation cannot be computed so.
FailureOr<AskedOf> askedExplicitly(func::FuncOp function,
                                   MutableArrayRef<Override> lines) {
  AskedOf asked;
  WalkResult walk = function.walk([&](Operation *op) -> WalkResult {
    Said said;
    if (auto attr = op->getAttrOfType<PrecisionAttr>(precisionAttrName))
      if (failed(
              add(said, op, toPrecision(attr), op->getLoc(), "its attribute")))
        return WalkResult::interrupt();
    for (Override &line : lines) {
      if (!line.pattern.names(op->getLoc()))
        continue;
      if (!canBeSaid(op)) {
        if (!line.named)
          line.named = op;
        continue;
      }
      line.used = true;
      auto place = cast<FileLineColRange>(line.loc);
      std::string who = "line " + std::to_string(place.getStartLine()) +
                        " of " + place.getFilename().str();
      if (failed(add(said, op, line.types, line.loc, who)))
        return WalkResult::interrupt();
      said.asked.line = line.loc;
    }
    if (said.asked.types == Precision())
      return WalkResult::advance();
    if (Result<> problem = ComputeIn::check(op, said.asked.types); !problem) {
      InFlightDiagnostic error =
          emitError(said.asked.line.value_or(op->getLoc()))
          << problem.error().message;
      if (said.asked.line)
        error.attachNote(op->getLoc()) << "for this operation";
      return WalkResult::interrupt();
    }
    asked[op] = said.asked;
    return WalkResult::advance();
  });
  if (walk.wasInterrupted())
    return failure();
  return asked;
}

/// Adds what `policy` asks of the operations of `pattern`, where nobody else
/// has said something. An operation that cannot be computed so is left alone,
/// with a remark.
void askByPolicy(const PrecisionPattern &pattern, PrecisionPolicy policy,
                 AskedOf &asked) {
  MLIRContext *context = pattern.last->getContext();
  Type wide = Float32Type::get(context);
  if (policy == PrecisionPolicy::Performance)
    wide = pattern.storage;
  std::string who =
      (policy == PrecisionPolicy::Accuracy ? "policy=accuracy, "
                                           : "policy=performance, ") +
      describe(pattern.hazard).str();
  for (Operation *op : pattern.ops) {
    auto structured = cast<linalg::LinalgOp>(op);
    if (op->getNumResults() != 1 || computesNothing(structured))
      continue;
    Precision has = completed(structured, {});
    Precision types;
    auto choose = [&](Type now) {
      bool keeps =
          policy == PrecisionPolicy::Accuracy && !holdsEvery(wide, now);
      return keeps ? now : wide;
    };
    if (has.accumulation)
      types.accumulation = choose(has.accumulation);
    types.intermediate = choose(has.intermediate);
    types.storage = op == pattern.last && policy == PrecisionPolicy::Accuracy
                        ? has.storage
                        : choose(has.storage);
    auto known = asked.find(op);
    if (known != asked.end())
      for (const PrecisionKey &key : precisionKeys)
        if (Type said = known->second.types.*key.type)
          types.*key.type = said;
    if (Result<> problem = ComputeIn::check(op, types); !problem) {
      remarkLeftAlone(op, [&] { return who + ": " + problem.error().message; });
      continue;
    }
    Asked &entry = asked[op];
    entry.types = types;
    entry.who += (entry.who.empty() ? "" : " and ") + who;
    entry.isForSpeed |= policy == PrecisionPolicy::Performance;
  }
}

struct SetPrecisionPass : impl::SetPrecisionBase<SetPrecisionPass> {
  using SetPrecisionBase::SetPrecisionBase;

  void runOnOperation() override {
    if (failed(readOptions()))
      return signalPassFailure();
    SmallVector<func::FuncOp> functions;
    getOperation().walk([&](func::FuncOp function) {
      if (!function.isExternal())
        functions.push_back(function);
    });
    // Nothing is changed before everything that is asked for can be done.
    SmallVector<AskedOf> asked;
    for (func::FuncOp function : functions) {
      FailureOr<AskedOf> each = askedExplicitly(function, lines);
      if (failed(each))
        return signalPassFailure();
      asked.push_back(std::move(*each));
    }
    if (failed(verifyUsed()))
      return signalPassFailure();
    unsigned patterns = 0;
    for (auto [function, each] : llvm::zip(functions, asked))
      patterns += decide(function, each);
    if (policyAsked != PrecisionPolicy::None && patterns == 0)
      mlir::emitWarning(getOperation().getLoc())
          << "policy=" << policy
          << " changes nothing: no function has squared distances, a variance "
             "or a softmax of the kinds that it is for";
  }

private:
  LogicalResult readOptions() {
    Location loc = getOperation().getLoc();
    std::optional<PrecisionPolicy> read =
        llvm::StringSwitch<std::optional<PrecisionPolicy>>(policy)
            .Case("", PrecisionPolicy::None)
            .Case("accuracy", PrecisionPolicy::Accuracy)
            .Case("performance", PrecisionPolicy::Performance)
            .Default(std::nullopt);
    auto unknown = [&](StringRef option, StringRef got, StringRef expected) {
      return mlir::emitError(loc) << "npu-set-precision: unknown " << option
                                  << "=" << got << ", expected " << expected;
    };
    if (!read)
      return unknown("policy", policy, "accuracy or performance");
    policyAsked = *read;
    if (distances != "norms" && distances != "direct")
      return unknown("distances", distances, "norms or direct");
    if (softmax != "keep" && softmax != "subtract-maximum")
      return unknown("softmax", softmax, "keep or subtract-maximum");
    StringRef other = distances == "direct" ? "distances=direct"
                      : softmax != StringRef("keep")
                          ? "softmax=subtract-maximum"
                          : "";
    if (!other.empty() && policyAsked != PrecisionPolicy::Accuracy)
      return mlir::emitError(loc)
             << "npu-set-precision: expected policy=accuracy beside " << other;
    if (overrides.empty())
      return success();
    FailureOr<SmallVector<Override>> parsed = readOverrides(loc, overrides);
    if (failed(parsed))
      return failure();
    lines = std::move(*parsed);
    if (lines.empty())
      mlir::emitWarning(loc) << "npu-set-precision: overrides '" << overrides
                             << "' changes nothing: no line says anything";
    return success();
  }

  LogicalResult verifyUsed() {
    bool fine = true;
    for (Override &line : lines) {
      if (line.used)
        continue;
      fine = false;
      InFlightDiagnostic error =
          mlir::emitError(line.loc)
          << "'" << line.pattern.text << "' names no operation"
          << (line.named ? " that computes something" : " of the module");
      if (line.named)
        error.attachNote(line.named->getLoc())
            << "it names '" << line.named->getName()
            << "', whose precision nobody can say";
    }
    return success(fine);
  }

  /// Decides and rewrites a function; returns how many patterns it has.
  unsigned decide(func::FuncOp function, AskedOf &asked) {
    bool looks = policyAsked != PrecisionPolicy::None ||
                 isListeningToDecisions(&getContext());
    std::vector<PrecisionPattern> patterns;
    if (looks)
      patterns = findPrecisionPatterns(function);
    ComputeIn writer;
    for (PrecisionPattern &pattern : patterns) {
      tell(pattern);
      if (policyAsked == PrecisionPolicy::None)
        continue;
      bool said = llvm::any_of(
          pattern.ops, [&](Operation *op) { return asked.contains(op); });
      if (distances == "direct" && !said &&
          pattern.hazard == PrecisionHazard::Distances)
        computeDirectly(pattern);
      if (softmax == "subtract-maximum" && !said &&
          pattern.hazard == PrecisionHazard::Softmax)
        subtractMaximum(pattern);
      askByPolicy(pattern, policyAsked, asked);
      for (Operation *op : pattern.ops)
        writer.passOver(op);
    }
    write(function, asked, writer);
    return patterns.size();
  }

  void tell(const PrecisionPattern &pattern) {
    if (!getContext().getRemarkEngine())
      return;
    Operation *root = linalg::LinalgOp(pattern.root);
    auto remark = mlir::remark::analysis(root->getLoc(),
                                         decision("precision-pattern", root));
    if (!remark)
      return;
    std::string parts;
    for (Operation *op : pattern.ops)
      if (!computesNothing(cast<linalg::LinalgOp>(op)))
        parts +=
            (parts.empty() ? "" : ", ") + op->getName().getStringRef().str();
    remark << mlir::remark::reason(
        "{0}, of {1}, in {2}: {3}", describe(pattern.hazard).str(), parts,
        toString(pattern.storage), riskOf(pattern.hazard).str());
    if (policyAsked == PrecisionPolicy::None)
      remark << mlir::remark::suggest(
          "{0}", std::string("policy=accuracy keeps all of it in f32"));
  }

  void write(func::FuncOp function, AskedOf &asked, ComputeIn &writer) {
    SmallVector<std::pair<linalg::LinalgOp, Asked>> order;
    function.walk([&](linalg::LinalgOp op) {
      auto it = asked.find(op);
      if (it != asked.end())
        order.emplace_back(op, it->second);
    });
    for (auto &[op, each] : order) {
      Precision types = completed(op, each.types);
      remarkDone("precision", op, 0, [&, &each = each] {
        std::string cost;
        if (each.isForSpeed)
          cost = ", which may cost the result: sums of more than 2048 terms of "
                 "one size stand still in f16, of more than 256 in bf16";
        return toString(types) + ", by " + each.who + cost;
      });
      writer.apply(op, types);
    }
    writer.eraseDead();
  }

  PrecisionPolicy policyAsked = PrecisionPolicy::None;
  SmallVector<Override> lines;
};

} // namespace
} // namespace npu
