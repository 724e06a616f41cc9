// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception

#include "Repair.h"

#include "Places.h"
#include "npu/Analysis/Choices/Movement.h"
#include "npu/Dialect/NPU/IR/NPUDialect.h"
#include "npu/Dialect/NPU/Transforms/Legalize/Passes.h"

#include "mlir/Interfaces/FunctionInterfaces.h"
#include "mlir/Pass/PassManager.h"
#include "llvm/ADT/StringExtras.h"
#include "llvm/ADT/StringMap.h"
#include "llvm/Support/Regex.h"

using namespace mlir;

namespace npu {
namespace {

template <typename Printed>
std::string spell(Printed printed) {
  std::string text;
  llvm::raw_string_ostream os(text);
  printed.print(os);
  return text;
}

/// The type as the text would write it: with the alias of its layout, if it has
/// one.
std::string spell(const ParsedPart &part, RankedTensorType type) {
  std::string text = spell<Type>(type);
  Attribute layout = type.getEncoding();
  for (const auto &alias : part.getState().getAttributeAliasDefs())
    if (layout && alias.value == layout) {
      std::string written = spell(layout);
      size_t at = text.find(written);
      if (at != std::string::npos)
        text.replace(at, written.size(), "#" + alias.name.str());
      break;
    }
  return text;
}

/// Printed IR with the layouts by their aliases, as far as these are defined
/// before a place of the part's text.
std::string withAliases(const ParsedPart &part, StringRef printed,
                        size_t place) {
  llvm::StringMap<std::string> names;
  for (const auto &alias : part.getState().getAttributeAliasDefs())
    if (isa_and_present<LayoutAttr>(alias.value) &&
        part.spanOf(alias.definition.loc).begin < place)
      names.try_emplace(spell(alias.value), "#" + alias.name.str());
  std::string text;
  while (!printed.empty()) {
    StringRef before = printed.take_front(printed.find("#npu.layout<"));
    text += before;
    if (before.size() == printed.size())
      break;
    printed = printed.drop_front(before.size());
    // Layouts have no angle brackets inside.
    StringRef layout =
        printed.take_until([](char each) { return each == '>'; });
    layout = printed.take_front(layout.size() + 1);
    auto name = names.find(layout);
    text += name == names.end() ? layout : StringRef(name->second);
    printed = printed.drop_front(layout.size());
  }
  return text;
}

/// A name that the text does not have.
std::string newName(StringRef text) {
  for (unsigned number = 0;; ++number) {
    std::string name =
        "%cast" + (number ? "_" + std::to_string(number) : std::string());
    if (!llvm::Regex(name + "($|[^A-Za-z0-9_$.-])").match(text))
      return name;
  }
}

StringRef indentOf(StringRef text, size_t offset) {
  size_t line = text.take_front(offset).rfind('\n');
  StringRef rest = text.substr(line == StringRef::npos ? 0 : line + 1);
  return rest.take_while([](char each) { return each == ' ' || each == '\t'; });
}

/// The result type of a cast: what stands after "to".
std::optional<Span> resultType(StringRef text, Span op) {
  StringRef spelled = text.slice(op.begin, op.end);
  llvm::SmallVector<StringRef, 2> match;
  if (!llvm::Regex("[[:space:]]to[[:space:]]+(tensor<|!)")
           .match(spelled, &match))
    return std::nullopt;
  size_t begin = match[1].data() - text.data();
  int depth = 0;
  size_t end = begin;
  for (; end < op.end; ++end) {
    if (text[end] == '<')
      ++depth;
    else if (text[end] == '>' && --depth == 0)
      return Span{begin, end + 1};
    else if (depth == 0 && (text[end] == ' ' || text[end] == '\n'))
      break;
  }
  return Span{begin, end};
}

std::optional<Repair> repairOf(const ParsedPart &part,
                               const OperationPlace &place) {
  auto cast = dyn_cast<PermuteCastOp>(place.op);
  if (!cast || place.resultGroups.empty())
    return std::nullopt;
  MovementCache movement;
  RankedTensorType declared = cast.getResult().getType();
  RankedTensorType expected = movement.expectedType(cast);
  for (RankedTensorType type : {expected, declared})
    if (isDistributed(type) && !getPlacement(type))
      return std::nullopt;
  Relation relation = movement.relation(expected, declared);
  if (relation == Relation::Identical)
    return std::nullopt;
  StringRef text = part.getText();
  Span op = part.spanOf(place.scopeLoc);
  Span name = part.spanOf(place.resultGroups.front().definition.loc);
  std::optional<Span> type = resultType(text, op);
  if (!type)
    return std::nullopt;
  StringRef repair = relation == Relation::DataMoves ? "npu.redistribute"
                                                     : "npu.distribution_cast";
  std::string between = newName(text), wanted = spell(part, expected);
  std::string line =
      ("\n" + indentOf(text, name.begin) + text.slice(name.begin, name.end) +
       " = " + repair + " " + between + " : " + wanted + " to " +
       text.slice(type->begin, type->end))
          .str();
  // After a comment at the end of the line.
  size_t end = std::min(text.find('\n', op.end), text.size());
  StringRef rest = text.slice(op.end, end).ltrim();
  if (!rest.empty() && !rest.starts_with("//"))
    end = op.end;
  return Repair{("insert " + repair + " after the cast").str(),
                relation != Relation::SameMemory,
                {{name, between}, {*type, wanted}, {{end, end}, line}}};
}

FunctionOpInterface functionAround(const ParsedPart &part, Operation *op) {
  auto function = dyn_cast<FunctionOpInterface>(op);
  if (!function)
    function = op->getParentOfType<FunctionOpInterface>();
  return function && function->getParentOp() == part.getRoot() ? function
                                                               : nullptr;
}

} // namespace

std::optional<Repair> castRepairAt(const ParsedPart &part, size_t offset) {
  const OperationPlace *place = operationAt(part, offset, /*around=*/true);
  return place ? repairOf(part, *place) : std::nullopt;
}

std::optional<std::string> wrongFunctionAt(ParsedPart &part, size_t offset) {
  const OperationPlace *place = operationAt(part, offset, /*around=*/true);
  auto function = place ? functionAround(part, place->op) : nullptr;
  if (!function)
    return std::nullopt;
  Span around = part.spanOf(place->scopeLoc);
  for (const Message &message : part.getMessages())
    if (message.severity == llvm::lsp::DiagnosticSeverity::Error &&
        around.contains(message.span.begin))
      return function.getName().str();
  return std::nullopt;
}

std::string titleOfLegalization(StringRef function) {
  return ("write @" + function + " as npu-legalize-distributions leaves it")
      .str();
}

std::optional<Repair> legalizationAt(ParsedPart &part, size_t offset) {
  const OperationPlace *place = operationAt(part, offset, /*around=*/true);
  auto function = place ? functionAround(part, place->op) : nullptr;
  const OperationPlace *whole =
      function ? part.getState().getOpDef(function) : nullptr;
  if (!whole)
    return std::nullopt;
  // What the pass says has been said of this function already.
  ScopedDiagnosticHandler handler(part.getContext(), [](Diagnostic &) {});
  OwningOpRef<Operation *> copy = part.getRoot()->clone();
  PassManager passes(part.getContext());
  passes.addPass(createLegalizeDistributions());
  if (failed(passes.run(*copy)))
    return std::nullopt;
  Operation *result = SymbolTable::lookupSymbolIn(*copy, function.getName());
  if (!result)
    return std::nullopt;
  std::string text;
  llvm::raw_string_ostream os(text);
  // The pass manager has verified it, which takes longer than to print it.
  result->print(os, OpPrintingFlags().useLocalScope().assumeVerified());
  Span span = part.spanOf(whole->scopeLoc);
  text = withAliases(part, text, span.begin);
  StringRef indent = indentOf(part.getText(), span.begin);
  if (!indent.empty())
    text = llvm::join(llvm::split(text, '\n'), ("\n" + indent).str());
  return Repair{titleOfLegalization(function.getName()),
                /*isPreferred=*/false,
                {{span, std::move(text)}}};
}

} // namespace npu
