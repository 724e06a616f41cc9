// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// A part of a document, between lines "// -----", as IR: what is where in its
// text, and what the verifiers say of it.

#ifndef NPU_LIB_LANGUAGESERVER_PARSEDPART_H
#define NPU_LIB_LANGUAGESERVER_PARSEDPART_H

#include "Lines.h"

#include "mlir/AsmParser/AsmParserState.h"
#include "mlir/IR/BuiltinOps.h"
#include "mlir/IR/OwningOpRef.h"
#include "llvm/Support/SourceMgr.h"

namespace npu {

/// What is said of a place in the part.
struct Message {
  Span span;
  llvm::lsp::DiagnosticSeverity severity;
  std::string text;
  std::vector<std::pair<Span, std::string>> notes;
};

class ParsedPart {
public:
  /// Parses. What is wrong becomes messages.
  ParsedPart(llvm::StringRef text, llvm::StringRef file,
             const mlir::DialectRegistry &registry);

  llvm::StringRef getText() const;
  /// What the parser said, and the verifiers, which are asked for the first
  /// time here.
  llvm::ArrayRef<Message> getMessages();

  /// Whether the text is IR. Otherwise there is nothing below but the context.
  bool isParsed() const { return static_cast<bool>(module); }
  /// The module of the text, or one around all of it.
  mlir::Operation *getRoot() const;
  const mlir::AsmParserState &getState() const { return *state; }
  mlir::MLIRContext *getContext() { return context.get(); }

  Span spanOf(llvm::SMRange range) const;

private:
  /// Makes what the parser works on, with nothing in it.
  void begin(const mlir::DialectRegistry &registry);
  void parse();
  void record(mlir::Diagnostic &diagnostic);
  Span spanOf(mlir::Location loc) const;
  void verify();
  void hintAtLabels();
  void warnOfUnknownOperations();

  std::unique_ptr<mlir::MLIRContext> context;
  llvm::SourceMgr sources;
  mlir::OwningOpRef<mlir::ModuleOp> module;
  std::unique_ptr<mlir::AsmParserState> state;
  std::vector<Message> messages;
  bool isVerified = false;
};

} // namespace npu

#endif // NPU_LIB_LANGUAGESERVER_PARSEDPART_H
