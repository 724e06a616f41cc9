// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// A function that is compiled for this machine and called in this process. All
// memory that it writes is poisoned before: results, tiles' arenas, temporary
// buffers.

#ifndef NPU_EXECUTION_JIT_COMPILEDFUNCTION_H
#define NPU_EXECUTION_JIT_COMPILEDFUNCTION_H

#include "npu/Conversion/ToLLVM/Pipelines.h"
#include "npu/Execution/Host/HostTensor.h"
#include "npu/Execution/Host/MemoryBudget.h"

#include "mlir/IR/BuiltinOps.h"
#include "mlir/IR/OwningOpRef.h"

namespace mlir {
class ExecutionEngine;
} // namespace mlir

namespace npu {

/// The scratchpad memory of one tile, in which npu-plan-scratchpad has placed
/// buffers.
struct Arena {
  int64_t tile = 0;
  int64_t bytes = 0;
};

/// Options of npu-plan-scratchpad.
struct ScratchpadOptions {
  /// The device whose scratchpads count; empty: the device that the module
  /// describes.
  std::string target;
  /// Whether to print the memory that every tile needs.
  bool report = false;
};

class CompiledFunction {
public:
  /// Lowers a function (see ToExecutable.h) to buffers, where its need of
  /// memory is known. A program that is on buffers already keeps the places of
  /// its buffers. Fails with a diagnostic.
  static mlir::FailureOr<std::unique_ptr<CompiledFunction>>
  bufferize(mlir::OwningOpRef<mlir::ModuleOp> module, llvm::StringRef entry,
            TileThreads threads = TileThreads::One,
            const ScratchpadOptions &scratchpad = {});
  ~CompiledFunction();

  /// Compiles the bufferized function; `optLevel` is 0 to 3.
  mlir::LogicalResult compile(unsigned optLevel);

  const std::vector<TensorSpec> &inputs() const { return inputSpecs; }
  const std::vector<TensorSpec> &results() const { return resultSpecs; }
  const std::vector<Arena> &arenas() const { return arenaSpecs; }

  /// The number of operations of the bufferized function and all that it calls,
  /// which says how long LLVM takes.
  int64_t operations() const { return operationCount; }

  /// Adds the bytes that a run takes: copies of the inputs, results, arenas,
  /// and the most that temporary buffers take at one time, `times` times.
  void addMemory(ByteSum &sum, int64_t times = 1) const;

  /// Runs the function on copies of the inputs. Precondition: `compile` has
  /// succeeded, and `inputs` have the specs of inputs().
  mlir::FailureOr<std::vector<HostTensor>>
  run(const std::vector<HostTensor> &inputs);
  /// The same of inputs that others keep.
  mlir::FailureOr<std::vector<HostTensor>>
  runOn(llvm::ArrayRef<const HostTensor *> inputs);

  /// Wall time of the last run without preparation.
  double milliseconds() const { return lastMilliseconds; }

private:
  CompiledFunction(mlir::OwningOpRef<mlir::ModuleOp> module,
                   llvm::StringRef entry, TileThreads threads);
  mlir::LogicalResult readSignature();
  mlir::LogicalResult toBuffers(const ScratchpadOptions &scratchpad);
  mlir::LogicalResult readBuffers();

  mlir::OwningOpRef<mlir::ModuleOp> module;
  std::string entry;
  TileThreads threads;
  std::vector<TensorSpec> inputSpecs, resultSpecs;
  std::vector<Arena> arenaSpecs;
  int64_t temporaryBytes = 0;
  int64_t operationCount = 0;
  double lastMilliseconds = 0;
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
