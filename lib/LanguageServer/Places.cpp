// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception

#include "Places.h"

#include "npu/Dialect/NPU/IR/NPUDialect.h"

#include "mlir/AsmParser/AsmParser.h"

using namespace mlir;

namespace npu {
namespace {

using Definition = AsmParserState::SMDefinition;

/// The name of a definition that the offset is at, with all others.
std::optional<Named> matched(const ParsedPart &part, const Definition &def,
                             size_t offset) {
  std::optional<Named> found;
  auto look = [&](SMRange range) {
    Span span = part.spanOf(range);
    if (range.isValid() && span.touches(offset))
      found = Named{span, {}, {}};
    return span;
  };
  look(def.loc);
  for (SMRange use : def.uses)
    look(use);
  if (!found)
    return std::nullopt;
  found->definition = part.spanOf(def.loc);
  for (SMRange use : def.uses)
    found->uses.push_back(part.spanOf(use));
  return found;
}

/// "%r#1" is the second result of a group.
unsigned numberInGroup(StringRef name) {
  unsigned number = 0;
  auto [group, text] = name.split('#');
  return !text.empty() && !text.getAsInteger(10, number) ? number : 0;
}

/// The `<...>` that begins with the bracket at `begin`, which counts arrows as
/// no bracket; nothing where it does not end.
std::optional<Span> bracketed(StringRef text, size_t begin) {
  int depth = 0;
  for (size_t at = begin; at < text.size(); ++at) {
    if (text[at] == '<')
      ++depth;
    else if (text[at] == '>' && text[at - 1] != '-' && --depth == 0)
      return Span{begin, at + 1};
  }
  return std::nullopt;
}

/// The innermost `WORD<...>` around an offset that begins with that word.
std::optional<Span> around(StringRef text, StringRef word, size_t offset) {
  size_t end = offset + word.size();
  for (size_t at = text.slice(0, end).rfind(word); at != StringRef::npos;
       at = at == 0 ? StringRef::npos : text.slice(0, at).rfind(word)) {
    std::optional<Span> span = bracketed(text, at + word.size() - 1);
    if (span && Span{at, span->end}.contains(offset))
      return Span{at, span->end};
    // Types are written in few lines.
    if (offset - std::min(at, offset) > 65536)
      break;
  }
  return std::nullopt;
}

} // namespace

std::optional<NamedValue> valueAt(const ParsedPart &part, size_t offset) {
  auto found = [&](const Definition &def, auto valueOf) {
    std::optional<NamedValue> named;
    if (std::optional<Named> match = matched(part, def, offset))
      named = NamedValue{*match, valueOf(match->at)};
    return named;
  };
  for (const OperationPlace &op : part.getState().getOpDefs())
    for (const auto &group : op.resultGroups)
      if (auto named = found(group.definition, [&](Span at) -> Value {
            unsigned number =
                group.startIndex +
                numberInGroup(part.getText().slice(at.begin, at.end));
            return op.op->getResult(
                std::min(number, op.op->getNumResults() - 1));
          }))
        return named;
  for (const auto &block : part.getState().getBlockDefs())
    for (auto [number, argument] : llvm::enumerate(block.arguments))
      if (auto named = found(argument, [&, number = number](Span) -> Value {
            return block.block->getArgument(number);
          }))
        return named;
  return std::nullopt;
}

std::optional<Named> namedAt(const ParsedPart &part, size_t offset) {
  if (std::optional<NamedValue> value = valueAt(part, offset))
    return *value;
  const AsmParserState &state = part.getState();
  for (const auto &block : state.getBlockDefs())
    if (auto named = matched(part, block.definition, offset))
      return named;
  for (const auto &alias : state.getAttributeAliasDefs())
    if (auto named = matched(part, alias.definition, offset))
      return named;
  for (const auto &alias : state.getTypeAliasDefs())
    if (auto named = matched(part, alias.definition, offset))
      return named;
  for (const OperationPlace &op : state.getOpDefs()) {
    Definition symbol(op.loc);
    symbol.uses = op.symbolUses;
    if (!symbol.uses.empty())
      if (auto named = matched(part, symbol, offset))
        return named;
  }
  return std::nullopt;
}

const OperationPlace *operationAt(const ParsedPart &part, size_t offset,
                                  bool around) {
  const OperationPlace *best = nullptr;
  Span ofBest;
  for (const OperationPlace &op : part.getState().getOpDefs()) {
    Span span = part.spanOf(around ? op.scopeLoc : op.loc);
    // Results are named before that.
    if (around && !op.resultGroups.empty())
      span.begin = part.spanOf(op.resultGroups.front().definition.loc).begin;
    if (!span.touches(offset))
      continue;
    if (!best || span.end - span.begin < ofBest.end - ofBest.begin) {
      best = &op;
      ofBest = span;
    }
  }
  return best;
}

std::optional<WrittenLayout> layoutAt(ParsedPart &part, size_t offset) {
  StringRef text = part.getText();
  // What is read here once more has been read, or has its message already.
  ScopedDiagnosticHandler handler(part.getContext(), [](Diagnostic &) {});
  WrittenLayout written;
  std::string spelled;
  if (std::optional<Span> span = around(text, "#npu.layout<", offset)) {
    written.at = *span;
    spelled = text.slice(span->begin, span->end).str();
    written.layout = parseAttribute(spelled, part.getContext());
  } else {
    for (const auto &alias : part.getState().getAttributeAliasDefs())
      if (auto named = matched(part, alias.definition, offset)) {
        written.at = named->at;
        written.layout = alias.value;
      }
    if (isa_and_nonnull<LayoutAttr>(written.layout)) {
      llvm::raw_string_ostream os(spelled);
      written.layout.print(os);
    }
  }
  if (!isa_and_nonnull<LayoutAttr>(written.layout))
    return std::nullopt;
  // An alias in the type is written out, because a type is read by itself.
  if (std::optional<Span> tensor = around(text, "tensor<", written.at.begin)) {
    std::string type = text.slice(tensor->begin, written.at.begin).str() +
                       spelled + text.slice(written.at.end, tensor->end).str();
    written.type =
        dyn_cast_or_null<RankedTensorType>(parseType(type, part.getContext()));
  }
  return written;
}

} // namespace npu
