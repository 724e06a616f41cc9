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

/// Answers messages until the client says exit or its end is closed. Fails
/// where it left without a shutdown request, as the protocol demands.
llvm::LogicalResult runLanguageServer(const mlir::DialectRegistry &registry,
                                      llvm::lsp::JSONTransport &transport,
                                      const LanguageServerOptions &options);

} // namespace npu

#endif // NPU_LANGUAGESERVER_LANGUAGESERVER_H
