// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// Poisoned temporary buffers; assertions' texts.

#include "JitRuntime.h"

#include "npu/Conversion/ToLLVM/ReportAssertions.h"
#include "npu/Execution/Host/HostTensor.h"

#include "mlir/ExecutionEngine/ExecutionEngine.h"
#include "llvm/Support/raw_ostream.h"

#include <cstdlib>
#include <mutex>

namespace npu {
namespace {

/// The compiled program has no way to be told. What has been printed before it
/// is said first; destructors would take from other threads what they run on.
[[noreturn]] void end(const llvm::Twine &text) {
  // Never unlocked: the first to come here is the only one.
  static std::mutex &first = *new std::mutex;
  first.lock();
  llvm::outs().flush();
  llvm::errs() << text;
  std::_Exit(1);
}

[[noreturn]] void assertionFailed(const char *text) { end(text); }

void *allocatePoisoned(size_t bytes) {
  void *memory = std::malloc(bytes);
  if (!memory && bytes != 0)
    end("error: no memory for a buffer of " + llvm::Twine(bytes) + " bytes\n");
  poison(memory, bytes);
  return memory;
}

void release(void *memory) { std::free(memory); }

} // namespace

void registerJitRuntime(mlir::ExecutionEngine &engine) {
  engine.registerSymbols([](llvm::orc::MangleAndInterner interner) {
    auto symbol = [](auto *function) {
      return llvm::orc::ExecutorSymbolDef(
          llvm::orc::ExecutorAddr::fromPtr(function),
          llvm::JITSymbolFlags::Exported);
    };
    llvm::orc::SymbolMap symbols;
    symbols[interner("_mlir_memref_to_llvm_alloc")] = symbol(allocatePoisoned);
    symbols[interner("_mlir_memref_to_llvm_free")] = symbol(release);
    symbols[interner(assertionFailedName)] = symbol(assertionFailed);
    return symbols;
  });
}

} // namespace npu
