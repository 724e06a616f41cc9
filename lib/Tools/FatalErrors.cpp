// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception

#include "npu/Tools/OutOfMemory.h"

#include "llvm/Support/ErrorHandling.h"
#include "llvm/Support/Signals.h"

#include <unistd.h>

namespace {

/// Of the tool, for the handler, which may not allocate.
llvm::StringRef toolName;

void print(llvm::StringRef text) {
  // Nobody is there to be told that standard error takes no text.
  (void)!write(STDERR_FILENO, text.data(), text.size());
}

/// LLVM calls this where its own allocations or `new` find no memory.
[[noreturn]] void endOutOfMemory(void *, const char *, bool) {
  print(toolName);
  print(": error: out of memory\n");
  llvm::sys::RunInterruptHandlers();
  _exit(1);
}

} // namespace

void npu::setOutOfMemoryHandler(llvm::StringRef tool) {
  toolName = tool;
  // A main that calls this for another one's tool replaces its handler.
  llvm::remove_bad_alloc_error_handler();
  llvm::install_bad_alloc_error_handler(endOutOfMemory);
  llvm::install_out_of_memory_new_handler();
}
