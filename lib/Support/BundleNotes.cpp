// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception

#include "npu/Support/BundleNotes.h"

#include "mlir/Pass/PassManager.h"
#include "llvm/Support/FileSystem.h"
#include "llvm/Support/Path.h"
#include "llvm/Support/raw_ostream.h"

#include <fmt/format.h>

#include <cstdlib>
#include <string>

namespace npu {
namespace {

/// What is asked for. It is taken out of the environment, so that processes
/// that this one starts, such as the test of npu-reduce, note nothing.
struct Request {
  static std::string take(llvm::StringLiteral variable) {
    const char *value = std::getenv(variable.data());
    std::string text = value ? value : "";
    unsetenv(variable.data());
    return text;
  }

  std::string files = take(kBundleFiles), ir = take(kBundleIr),
              conversation = take(kBundleConversation),
              documents = take(kBundleDocuments);
};

const Request &request() {
  static const Request taken;
  return taken;
}

/// The process may crash after each of these.
void writeNow(llvm::StringRef file, llvm::StringRef text,
              llvm::sys::fs::OpenFlags flags) {
  std::error_code error;
  llvm::raw_fd_ostream os(file, error, flags);
  if (error)
    return;
  os << text;
  os.close();
  os.clear_error();
}

std::string documentFile(unsigned number, llvm::StringRef name) {
  return request().documents + "/" + std::to_string(number) + "-" +
         llvm::sys::path::filename(name).str();
}

} // namespace

void noteForBundle(llvm::StringRef kind, llvm::StringRef text) {
  const std::string &file = request().files;
  if (!file.empty() && !text.empty())
    writeNow(file, (kind + " " + text + "\n").str(), llvm::sys::fs::OF_Append);
}

llvm::StringRef conversationForBundle() { return request().conversation; }

void keepDocumentForBundle(unsigned number, llvm::StringRef name,
                           llvm::StringRef text) {
  if (!request().documents.empty())
    writeNow(documentFile(number, name), text, llvm::sys::fs::OF_None);
}

void forgetDocumentForBundle(unsigned number, llvm::StringRef name) {
  if (!request().documents.empty())
    (void)llvm::sys::fs::remove(documentFile(number, name));
}

std::string spellTime(double time, int digits) {
  static const bool hides = std::getenv(kWithoutTimes.data()) != nullptr;
  return hides ? "-" : fmt::format("{:.{}f}", time, digits);
}

void keepIrForBundle(mlir::PassManager &passes) {
  const std::string &file = request().ir;
  if (file.empty())
    return;
  passes.getContext()->disableMultithreading();
  passes.enableCrashReproducerGeneration(file, /*genLocalReproducer=*/true);
}

} // namespace npu
