// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// Poisoned temporary buffers.

#include "JitMemory.h"

#include "npu/Execution/HostTensor.h"

#include "mlir/ExecutionEngine/ExecutionEngine.h"

#include <cstdio>
#include <cstdlib>

namespace npu {
namespace {

void *allocatePoisoned(size_t bytes) {
  void *memory = std::malloc(bytes);
  if (!memory && bytes != 0) {
    // The compiled program has no way to be told.
    std::fprintf(stderr, "error: no memory for a buffer of %zu bytes\n", bytes);
    std::exit(1);
  }
  poison(memory, bytes);
  return memory;
}

void release(void *memory) { std::free(memory); }

} // namespace

void registerJitMemory(mlir::ExecutionEngine &engine) {
  engine.registerSymbols([](llvm::orc::MangleAndInterner interner) {
    auto symbol = [](auto *function) {
      return llvm::orc::ExecutorSymbolDef(
          llvm::orc::ExecutorAddr::fromPtr(function),
          llvm::JITSymbolFlags::Exported);
    };
    llvm::orc::SymbolMap symbols;
    symbols[interner("_mlir_memref_to_llvm_alloc")] = symbol(allocatePoisoned);
    symbols[interner("_mlir_memref_to_llvm_free")] = symbol(release);
    return symbols;
  });
}

} // namespace npu
