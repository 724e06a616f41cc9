// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// Functions for compiled programs: poisoned temporary buffers, the end of a
// program whose assertion fails, and the count of executions.

#include "JitRuntime.h"
#include "npu/Execution/Jit/NoteExecutions.h"

#include "npu/Conversion/ToLLVM/ReportAssertions.h"
#include "npu/Host/HostTensor.h"

#include "llvm/Support/Signals.h"
#include "llvm/Support/raw_ostream.h"

#include <cstdlib>
#include <mutex>

namespace npu {
namespace {

/// Ends the process, because compiled code cannot return an error. Standard
/// output is flushed first, and files that have no names yet are removed;
/// destructors are not run, because other threads may still use their objects.
/// Who has to tell others of the end says so by at_quick_exit.
[[noreturn]] void end(const llvm::Twine &text) {
  // The mutex is never unlocked, so that only the first thread gets here.
  static std::mutex &first = *new std::mutex;
  first.lock();
  llvm::outs().flush();
  llvm::errs() << text;
  llvm::sys::RunInterruptHandlers();
  std::quick_exit(1);
}

[[noreturn]] void assertionFailed(const char *text) { end(text); }

void *allocatePoisoned(size_t bytes) {
  void *memory = std::malloc(bytes);
  if (!memory && bytes != 0)
    end("error: no memory for a buffer of " + llvm::Twine(bytes) + " bytes\n");
  poison(memory, bytes);
  return memory;
}

/// Counts an execution of a site, on any thread, where there is a record.
void noteExecution(int64_t record, int64_t site) {
  if (record != 0)
    reinterpret_cast<ExecutionRecord *>(record)->sites[site].count.fetch_add(
        1, std::memory_order_relaxed);
}

void release(void *memory) { std::free(memory); }

} // namespace

llvm::orc::SymbolMap jitRuntimeSymbols(llvm::orc::MangleAndInterner interner) {
  auto symbol = [](auto *function) {
    return llvm::orc::ExecutorSymbolDef(
        llvm::orc::ExecutorAddr::fromPtr(function),
        llvm::JITSymbolFlags::Exported);
  };
  llvm::orc::SymbolMap symbols;
  symbols[interner("_mlir_memref_to_llvm_alloc")] = symbol(allocatePoisoned);
  symbols[interner("_mlir_memref_to_llvm_free")] = symbol(release);
  symbols[interner(assertionFailedName)] = symbol(assertionFailed);
  symbols[interner(noteExecutionName)] = symbol(noteExecution);
  return symbols;
}

} // namespace npu
