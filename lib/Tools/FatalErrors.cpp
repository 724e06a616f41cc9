// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception

#include "npu/Tools/FatalErrors.h"

#include "llvm/Support/ErrorHandling.h"
#include "llvm/Support/Signals.h"

#include <csignal>
#include <unistd.h>

namespace {

/// For the handlers, which may not allocate.
llvm::StringRef toolName;
std::string outputName;

void print(llvm::StringRef text) {
  // Nobody is there to be told that standard error takes no text.
  (void)!write(STDERR_FILENO, text.data(), text.size());
}

[[noreturn]] void end() {
  llvm::sys::RunInterruptHandlers();
  _exit(1);
}

/// LLVM calls this where its own allocations or `new` find no memory.
[[noreturn]] void endOutOfMemory(void *, const char *, bool) {
  print(toolName);
  print(": error: out of memory\n");
  end();
}

/// LLVM calls this before it ends the process, and says whether that is a fault
/// of its own, which it reports with a stack.
void endFatally(void *, const char *reason, bool isFault) {
  if (!isFault) {
    print(toolName);
    print(": error: ");
    if (!outputName.empty()) {
      print(outputName);
      print(": ");
    }
  } else {
    print("LLVM ERROR: ");
  }
  print(reason);
  print("\n");
  if (!isFault)
    end();
}

/// What happens where a page of memory has no data: whatever LLVM does.
struct sigaction otherwise;

/// A file that lies in memory where it is read (inputs of runs, weights of
/// models) was made shorter meanwhile, or its disk failed. Copies of all such
/// files would cost their size in memory and time, and a look at their size
/// before would be too early: only the page that is missing says so.
void endForMissingPage(int, siginfo_t *info, void *) {
  if (info->si_code != BUS_ADRERR) {
    // The instruction fails again, and is reported as any other crash.
    sigaction(SIGBUS, &otherwise, nullptr);
    return;
  }
  print(toolName);
  print(": error: a file was made shorter, or cannot be read any more, while "
        "it was used\n");
  end();
}

} // namespace

void npu::setFatalErrorHandlers(llvm::StringRef tool) {
  toolName = tool;
  // A main that calls this for another one's tool replaces its handlers.
  llvm::remove_bad_alloc_error_handler();
  llvm::install_bad_alloc_error_handler(endOutOfMemory);
  llvm::install_out_of_memory_new_handler();
  llvm::remove_fatal_error_handler();
  llvm::install_fatal_error_handler(endFatally);
  // LLVM sets its handlers when it is asked for the first one, and would
  // replace this.
  llvm::sys::SetInterruptFunction(nullptr);
  struct sigaction action = {};
  action.sa_sigaction = endForMissingPage;
  action.sa_flags = SA_SIGINFO | SA_ONSTACK;
  sigaction(SIGBUS, &action, &otherwise);
}

void npu::nameOutput(std::string path) { outputName = std::move(path); }
