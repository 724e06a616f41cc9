// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// A function that is compiled for this machine and called in this process.

#ifndef NPU_EXECUTION_JIT_COMPILEDFUNCTION_H
#define NPU_EXECUTION_JIT_COMPILEDFUNCTION_H

#include "npu/Conversion/PlanScratchpad/Lowering.h"
#include "npu/Execution/Jit/ExecutionRecord.h"
#include "npu/Execution/Jit/LinkedCode.h"
#include "npu/Execution/Jit/RunnableFunction.h"
#include "npu/Execution/Jit/SeparateWeights.h"
#include "npu/Host/HostTensor.h"

#include "mlir/IR/BuiltinOps.h"
#include "mlir/IR/OwningOpRef.h"

#include <functional>

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

/// The process that runs a function among others (npu-convert-tiles-to-mpi);
/// without any, one runs it.
struct RankOfMany {
  int64_t rank = 0;
  int64_t ranks = 0;
};

class CompiledFunction : public RunnableFunction {
public:
  /// Lowers a function (see ToExecutable.h) to buffers, where its need of
  /// memory is known. A program that is on buffers already keeps the places of
  /// its buffers. Fails with a diagnostic.
  static mlir::FailureOr<std::unique_ptr<CompiledFunction>>
  bufferize(mlir::OwningOpRef<mlir::ModuleOp> module, llvm::StringRef entry,
            TileThreads threads = TileThreads::One,
            const ScratchpadOptions &scratchpad = {}, RankOfMany rank = {});
  ~CompiledFunction() override;

  /// Makes the bufferized function note what it executes (NoteExecutions.h). To
  /// be called before `compile`; the record has to outlive the function.
  void noteExecutions(ExecutionRecord &record);

  /// Says which extents follow from the lengths of prompts. Where those of
  /// results do, the last result so far says them from here on.
  void setPrompts(PromptDimensions dimensions);

  /// Compiles the bufferized function; `optLevel` is 0 to 3.
  mlir::LogicalResult compile(unsigned optLevel) override;

  /// The first half of `compile`, which knows of no other function and of no
  /// level: lowers the function to the LLVM dialect without its large
  /// constants, which LLVM need not see.
  mlir::LogicalResult lowerForMachine();

  /// The second half for many functions, whose first halves are done: one
  /// program has the code of all, and is compiled on all processors. Fails
  /// without a diagnostic, and without a change to any of them, where that
  /// cannot be done; `compile` says what is wrong with one of them.
  static mlir::LogicalResult
  compileTogether(llvm::ArrayRef<CompiledFunction *> functions,
                  unsigned optLevel);

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
                   llvm::StringRef entry, TileThreads threads, RankOfMany rank);
  mlir::LogicalResult readSignature();
  mlir::LogicalResult toBuffers(const ScratchpadOptions &scratchpad);
  void leaveInPlace();
  mlir::LogicalResult readBuffers();
  mlir::LogicalResult renameFunctions();
  void renameGlobals();
  /// Adds the addresses of the weights, each at a multiple of 64 bytes, as code
  /// expects them.
  void placeWeights(LinkedCode::Data &data,
                    llvm::function_ref<std::string(llvm::StringRef)> nameOf);
  mlir::FailureOr<PackedFunction> address() override { return function; }

  mlir::OwningOpRef<mlir::ModuleOp> module;
  std::string entry;
  TileThreads threads;
  RankOfMany rank;
  ExecutionRecord *record = nullptr;
  std::vector<SeparateWeight> weights;
  /// Copies of the weights that lie elsewhere.
  std::vector<HostBuffer> alignedWeights;
  bool isLowered = false;
  /// Shared by functions that were compiled together.
  std::shared_ptr<LinkedCode> code;
  PackedFunction function = nullptr;
};

/// Registers the interfaces that the JIT needs of dialects. To be called before
/// the context exists.
void registerExecutionInterfaces(mlir::DialectRegistry &registry);

} // namespace npu

#endif // NPU_EXECUTION_JIT_COMPILEDFUNCTION_H
