// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// What a tool does where upstream's parser crashes on a text that a user has
// written: it says so and ends with exit code 1.

#ifndef NPU_SUPPORT_PARSERCRASH_H
#define NPU_SUPPORT_PARSERCRASH_H

#include "llvm/ADT/StringRef.h"

#include <string>

namespace npu {

/// While one of them exists and is not paused, a crash of the process, by a
/// wrong address, an abort or a stack that is too deep, is an error:
///
///   error: MLIR's parser crashed on 'm.mlir'; what it was parsing, innermost
///   last:
///   Stack dump:
///   0.  MLIR Parser: custom op parser 'func.func'
///   1.  MLIR Parser: custom op parser 'linalg.generic'
///
/// and exit code 1; files that are being written are removed. Crashes at any
/// other time are those of this project, and dump the stack as LLVM does. One
/// exists at a time. Example:
///
///   ParserCrashIsError parsing(path);
///   auto module = parseSourceFile<ModuleOp>(sources, &context);
class ParserCrashIsError {
public:
  explicit ParserCrashIsError(llvm::StringRef file);
  ~ParserCrashIsError();
  ParserCrashIsError(const ParserCrashIsError &) = delete;
  ParserCrashIsError &operator=(const ParserCrashIsError &) = delete;

  void pause();
  void resume();

  /// Has LLVM call this before the handlers that are installed later, as that
  /// which dumps the stack. The constructor does so, too.
  static void installHandler();

private:
  /// LLVM's handler prints it, and keeps a pointer to it.
  std::string message;
  const char *former = nullptr;
};

} // namespace npu

#endif // NPU_SUPPORT_PARSERCRASH_H
