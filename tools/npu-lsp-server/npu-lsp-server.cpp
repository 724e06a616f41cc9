// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// The language server: editors get diagnostics, hover texts, completion and
// repairs for files with this dialect and with upstream's (docs/editor.md).

#include "npu/ExternalModels/RegisterAll.h"
#include "npu/LanguageServer/LanguageServer.h"
#include "npu/Support/BundleNotes.h"
#include "npu/Tools/EmitBundle.h"
#include "npu/Tools/FatalErrors.h"
#include "npu/Tools/Version.h"

#include "mlir/InitAllDialects.h"
#include "mlir/InitAllExtensions.h"
#include "llvm/Support/CommandLine.h"
#include "llvm/Support/LSP/Logging.h"
#include "llvm/Support/Program.h"

#include <cstdio>
#include <fcntl.h>
#include <unistd.h>

namespace cl = llvm::cl;
using llvm::lsp::Logger;

/// Reads standard input and appends what is there to the file of this
/// descriptor, before the server sees it, which may crash.
static ssize_t readAndKeep(void *cookie, char *bytes, size_t most) {
  ssize_t count = read(STDIN_FILENO, bytes, most);
  if (count > 0)
    (void)!write(*static_cast<int *>(cookie), bytes, count);
  return count;
}

/// Standard input; for a bundle one that is kept.
static std::FILE *conversation() {
  llvm::StringRef file = npu::conversationForBundle();
  static int kept = -1;
  if (!file.empty())
    kept = open(file.str().c_str(), O_WRONLY | O_CREAT | O_TRUNC, 0644);
  return kept < 0 ? stdin
                  : fopencookie(&kept, "r",
                                {readAndKeep, nullptr, nullptr, nullptr});
}

int main(int argc, char **argv) {
  if (std::optional<int> code =
          npu::runWithBundle("npu-lsp-server", argc, argv))
    return *code;
  // libLLVM registers hundreds of options that have no meaning for this tool.
  for (auto &option : cl::getRegisteredOptions())
    option.second->setHiddenFlag(cl::Hidden);
  cl::opt<bool> isTest(
      "lit-test", cl::desc("messages between lines '// -----', answered one "
                           "after the other in readable JSON, for tests"));
  cl::opt<bool> pretty("pretty", cl::desc("readable JSON"));
  cl::opt<bool> sequential(
      "sequential", cl::desc("answer each message before the next one is read, "
                             "so that the same conversation has the same "
                             "answers in the same order"));
  npu::addBundleOptions(cl::getGeneralCategory());
  cl::opt<Logger::Level> log(
      "log", cl::desc("what is logged to standard error"),
      cl::values(clEnumValN(Logger::Level::Error, "error", "errors only"),
                 clEnumValN(Logger::Level::Info, "info", "messages as well"),
                 clEnumValN(Logger::Level::Debug, "verbose", "everything")),
      cl::init(Logger::Level::Error));
  npu::setFatalErrorHandlers("npu-lsp-server");
  npu::setVersionPrinter("npu-lsp-server");
  cl::ParseCommandLineOptions(
      argc, argv,
      "Tilewright language server: an editor starts it and talks to it on "
      "standard input and output\n");
  Logger::setLogLevel(log);

  mlir::DialectRegistry registry;
  mlir::registerAllDialects(registry);
  mlir::registerAllExtensions(registry);
  npu::registerDialects(registry);

  // Lengths in headers are those of bytes.
  (void)llvm::sys::ChangeStdinToBinary();
  auto style = isTest ? llvm::lsp::JSONStreamStyle::Delimited
                      : llvm::lsp::JSONStreamStyle::Standard;
  llvm::lsp::JSONTransport transport(
      std::make_unique<npu::ClientMessages>(conversation(), style),
      llvm::outs(), isTest || pretty);
  return llvm::failed(npu::runLanguageServer(
      registry, transport, {npu::version().str(), isTest || sequential}));
}
