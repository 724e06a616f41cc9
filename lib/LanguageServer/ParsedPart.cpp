// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception

#include "ParsedPart.h"

#include "SurviveParser.h"
#include "npu/Analysis/Choices/Movement.h"
#include "npu/Dialect/NPU/IR/NPUDialect.h"
#include "npu/Dialect/NPU/Transforms/Verify/Passes.h"
#include "npu/Support/Naming.h"
#include "npu/Support/ParserLimits.h"

#include "mlir/AsmParser/AsmParser.h"
#include "mlir/IR/AsmState.h"
#include "mlir/Pass/PassManager.h"

using namespace mlir;
using Severity = llvm::lsp::DiagnosticSeverity;

namespace npu {
namespace {

Severity severityOf(mlir::DiagnosticSeverity severity) {
  switch (severity) {
  case mlir::DiagnosticSeverity::Error:
    return Severity::Error;
  case mlir::DiagnosticSeverity::Warning:
    return Severity::Warning;
  default:
    return Severity::Information;
  }
}

} // namespace

ParsedPart::ParsedPart(StringRef text, StringRef file,
                       const DialectRegistry &registry) {
  sources.AddNewSourceBuffer(llvm::MemoryBuffer::getMemBufferCopy(text, file),
                             SMLoc());
  begin(registry);
  if (surviveParser([&] { parse(); }))
    return;
  // What the parser has left is of no use, and cannot be taken apart.
  (void)module.release();
  (void)state.release();
  (void)context.release();
  begin(registry);
  messages = {{{0, text.find('\n')},
               Severity::Error,
               "MLIR's parser crashed on this text; npu-opt says what it was "
               "parsing",
               {}}};
}

void ParsedPart::begin(const DialectRegistry &registry) {
  context =
      std::make_unique<MLIRContext>(registry, MLIRContext::Threading::DISABLED);
  // Files may have operations of other compilers.
  context->allowUnregisteredDialects();
  state = std::make_unique<AsmParserState>();
}

void ParsedPart::parse() {
  ScopedDiagnosticHandler handler(
      context.get(), [&](Diagnostic &diagnostic) { record(diagnostic); });
  if (failed(checkText(*sources.getMemoryBuffer(sources.getMainFileID()),
                       context.get())))
    return;
  OwningOpRef<ModuleOp> around =
      ModuleOp::create(UnknownLoc::get(context.get()));
  FallbackAsmResourceMap resources;
  ParserConfig config(context.get(), /*verifyAfterParse=*/true, &resources);
  if (failed(parseAsmSourceFile(sources, around->getBody(), config,
                                state.get()))) {
    // What it knows of operations is gone with them.
    state = std::make_unique<AsmParserState>();
    return;
  }
  module = std::move(around);
}

ArrayRef<Message> ParsedPart::getMessages() {
  if (isParsed() && !isVerified) {
    ScopedDiagnosticHandler handler(
        context.get(), [&](Diagnostic &diagnostic) { record(diagnostic); });
    verify();
    isVerified = true;
  }
  return messages;
}

StringRef ParsedPart::getText() const {
  return sources.getMemoryBuffer(sources.getMainFileID())->getBuffer();
}

Operation *ParsedPart::getRoot() const {
  Block &body = *module.get().getBody();
  bool hasOwn = llvm::hasSingleElement(body) && isa<ModuleOp>(body.front());
  return hasOwn ? &body.front() : module.get().getOperation();
}

Span ParsedPart::spanOf(SMRange range) const {
  if (!range.isValid())
    return {};
  const char *begin = getText().data();
  return {static_cast<size_t>(range.Start.getPointer() - begin),
          static_cast<size_t>(range.End.getPointer() - begin)};
}

Span ParsedPart::spanOf(Location loc) const {
  StringRef file =
      sources.getMemoryBuffer(sources.getMainFileID())->getBufferIdentifier();
  auto place = loc->findInstanceOf<FileLineColLoc>();
  if (place && place.getFilename() == file) {
    SMLoc start =
        const_cast<llvm::SourceMgr &>(sources).FindLocForLineAndColumn(
            sources.getMainFileID(), place.getLine(), place.getColumn());
    if (start.isValid()) {
      Span span = spanOf(AsmParserState::convertIdLocToRange(start));
      span.end = std::max(span.end, std::min(span.begin + 1, getText().size()));
      return span;
    }
    // At the end of a line that ends as on Windows, or beyond it.
    Lines lines(getText());
    size_t line = place.getLine() - 1;
    if (place.getLine() > 0 && line < lines.count()) {
      size_t column = std::max(place.getColumn(), 1u) - 1;
      size_t begin =
          lines.begin(line) + std::min(column, lines.line(line).size());
      return {begin, std::min(begin + 1, getText().size())};
    }
  }
  // An operation with a location of its own, of a layer or of another file.
  for (const AsmParserState::OperationDefinition &def : state->getOpDefs())
    if (def.op->getLoc() == loc)
      return spanOf(def.loc);
  return {};
}

void ParsedPart::record(Diagnostic &diagnostic) {
  Message message{spanOf(diagnostic.getLocation()),
                  severityOf(diagnostic.getSeverity()),
                  diagnostic.str(),
                  {}};
  for (Diagnostic &note : diagnostic.getNotes())
    message.notes.emplace_back(spanOf(note.getLocation()), note.str());
  messages.push_back(std::move(message));
}

void ParsedPart::verify() {
  PassManager passes(context.get());
  passes.enableVerifier(false);
  passes.addPass(createVerifyDistributions());
  // What is wrong has been recorded.
  (void)passes.run(getRoot());
  hintAtLabels();
  warnOfUnknownOperations();
}

void ParsedPart::warnOfUnknownOperations() {
  getRoot()->walk([&](Operation *op) {
    if (!op->isRegistered())
      messages.push_back({spanOf(op->getLoc()),
                          Severity::Warning,
                          "'" + op->getName().getStringRef().str() +
                              "' is no operation that is known here: npu-opt "
                              "refuses it without "
                              "--allow-unregistered-dialect",
                          {}});
  });
}

void ParsedPart::hintAtLabels() {
  MovementCache movement;
  getRoot()->walk([&](PermuteCastOp cast) {
    RankedTensorType declared = cast.getResult().getType();
    if (!isDistributed(cast.getInput().getType()) || !isDistributed(declared))
      return;
    RankedTensorType expected = movement.expectedType(cast);
    if (!getPlacement(expected) || !getPlacement(declared))
      return;
    if (movement.relation(expected, declared) != Relation::SameMemory)
      return;
    messages.push_back(
        {spanOf(cast.getLoc()),
         Severity::Hint,
         "only the label differs: expected " + nameOfLayout(expected) +
             ", and every tile holds the same box on both sides; 0 bytes "
             "move, and the field compiler refuses it",
         {}});
  });
}

} // namespace npu
