// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception

#include "npu/Support/ParserCrash.h"

#include "llvm/Support/PrettyStackTrace.h"
#include "llvm/Support/Signals.h"

#include <atomic>
#include <unistd.h>

namespace npu {
namespace {

std::atomic<bool> isParsing = false;

/// LLVM calls this in a signal handler, on a stack of its own, after the one
/// that prints the message, and after it has removed unfinished files.
void endIfParsing(void *) {
  if (isParsing)
    _exit(1);
}

} // namespace

void ParserCrashIsError::installHandler() {
  static const bool installed = [] {
    // Prints what the parser is at, after the message.
    llvm::EnablePrettyStackTrace();
    llvm::sys::AddSignalHandler(endIfParsing, nullptr);
    return true;
  }();
  (void)installed;
}

ParserCrashIsError::ParserCrashIsError(llvm::StringRef file)
    : message("error: MLIR's parser crashed on '" + file.str() +
              "'; what it was parsing, innermost last:\n"),
      former(llvm::getBugReportMsg()) {
  installHandler();
  resume();
}

ParserCrashIsError::~ParserCrashIsError() { pause(); }

void ParserCrashIsError::pause() {
  isParsing = false;
  llvm::setBugReportMsg(former);
}

void ParserCrashIsError::resume() {
  llvm::setBugReportMsg(message.c_str());
  isParsing = true;
}

} // namespace npu
