// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// The language server: what editors ask of files with this dialect and with
// upstream's (docs/editor.md).

#ifndef NPU_LANGUAGESERVER_LANGUAGESERVER_H
#define NPU_LANGUAGESERVER_LANGUAGESERVER_H

#include "mlir/IR/DialectRegistry.h"
#include "llvm/Support/LSP/Transport.h"

namespace npu {

struct LanguageServerOptions {
  /// The version that editors are told.
  std::string version;
  /// Whether each message is answered before the next one is read, so that a
  /// conversation has one order: for tests.
  bool isSequential = false;
};

/// Messages of a client. One that is nested deeper than a parser of JSON that
/// calls itself for each level should be asked to read, or that is no object of
/// the protocol, is handed on as one that is no JSON, which the transport
/// leaves out.
class ClientMessages : public llvm::lsp::JSONTransportInput {
public:
  ClientMessages(std::FILE *in, llvm::lsp::JSONStreamStyle style)
      : JSONTransportInput(style), file(in, style) {}

  bool hasError() const override { return file.hasError(); }
  bool isEndOfInput() const override { return file.isEndOfInput(); }
  llvm::LogicalResult readDelimitedMessage(std::string &body) override;
  llvm::LogicalResult readStandardMessage(std::string &body) override;

private:
  llvm::lsp::JSONTransportInputOverFile file;
};

/// Answers messages until the client says exit or its end is closed. Fails
/// where it left without a shutdown request, as the protocol demands.
llvm::LogicalResult runLanguageServer(const mlir::DialectRegistry &registry,
                                      llvm::lsp::JSONTransport &transport,
                                      const LanguageServerOptions &options);

} // namespace npu

#endif // NPU_LANGUAGESERVER_LANGUAGESERVER_H
