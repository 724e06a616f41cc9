// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// A function that is compiled for this machine and called in this process.

#ifndef NPU_EXECUTION_JIT_COMPILEDFUNCTION_H
#define NPU_EXECUTION_JIT_COMPILEDFUNCTION_H

#include "npu/Conversion/PlanScratchpad/Lowering.h"
#include "npu/Execution/Jit/ExecutionRecord.h"
#include "npu/Execution/Jit/RunnableFunction.h"

#include "mlir/IR/BuiltinOps.h"
#include "mlir/IR/OwningOpRef.h"

#include <functional>

namespace mlir {
class ExecutionEngine;
} // namespace mlir

namespace npu {

/// Options of npu-plan-scratchpad.
struct ScratchpadOptions {
  /// The device whose scratchpads count; empty: the device that the module
  /// describes.
  std::string target;
  /// Whether to print the memory that every tile needs.
  bool report = false;
  /// Gets the program when every buffer has its place, and before
  /// deallocations and tasks change how long each is in use.
  std::function<mlir::LogicalResult(mlir::ModuleOp)> whenPlanned = nullptr;
};

class CompiledFunction : public RunnableFunction {
public:
  /// Lowers a function (see ToExecutable.h) to buffers, where its need of
  /// memory is known. A program that is on buffers already keeps the places of
  /// its buffers. Fails with a diagnostic.
  static mlir::FailureOr<std::unique_ptr<CompiledFunction>>
  bufferize(mlir::OwningOpRef<mlir::ModuleOp> module, llvm::StringRef entry,
            TileThreads threads = TileThreads::One,
            const ScratchpadOptions &scratchpad = {});
  ~CompiledFunction() override;

  /// Makes the bufferized function note what it executes (NoteExecutions.h). To
  /// be called before `compile`; the record has to outlive the function.
  void noteExecutions(ExecutionRecord &record);

  /// Compiles the bufferized function; `optLevel` is 0 to 3.
  mlir::LogicalResult compile(unsigned optLevel) override;

  /// Lowers the bufferized function to the LLVM dialect, where it takes a list
  /// of its buffers (npu-pack-arguments).
  mlir::LogicalResult lowerToLLVM();

  /// The program as it is: on buffers, or after `lowerToLLVM`.
  mlir::ModuleOp program() { return *module; }
  const FunctionSignature &specs() const { return signature; }
  /// The name that the function has in the program.
  llvm::StringRef symbol() const { return entry; }

private:
  CompiledFunction(mlir::OwningOpRef<mlir::ModuleOp> module,
                   llvm::StringRef entry, TileThreads threads);
  mlir::LogicalResult readSignature();
  mlir::LogicalResult toBuffers(const ScratchpadOptions &scratchpad);
  mlir::LogicalResult readBuffers();
  mlir::LogicalResult renameFunctions();
  mlir::FailureOr<PackedFunction> address() override;

  mlir::OwningOpRef<mlir::ModuleOp> module;
  std::string entry;
  TileThreads threads;
  ExecutionRecord *record = nullptr;
  std::unique_ptr<mlir::ExecutionEngine> engine;
};

/// The level at which LLVM optimizes a program of so many operations on buffers
/// where the user asks for none: 2, or 0 where optimizing takes longer than it
/// saves.
unsigned levelForSize(int64_t operations);

/// Registers the interfaces that the JIT needs of dialects. To be called before
/// the context exists.
void registerExecutionInterfaces(mlir::DialectRegistry &registry);

} // namespace npu

#endif // NPU_EXECUTION_JIT_COMPILEDFUNCTION_H
