// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// A function compiled for this machine, callable in this process. Everything it
// writes is poisoned before: its results, its tiles' arenas, its temporary
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
}

namespace npu {

/// One scratchpad: bytes at offsets that npu-plan-scratchpad gave.
struct Arena {
  int64_t tile = 0;
  int64_t bytes = 0;
};

/// What npu-plan-scratchpad is asked.
struct ScratchpadOptions {
  /// The device whose scratchpads count; empty: what the module says.
  std::string target;
  /// Print what every tile needs.
  bool report = false;
};

class CompiledFunction {
public:
  /// Takes a function (see ToExecutable.h) as far as buffers, where its need of
  /// memory is known; what is on buffers already runs at the places that it
  /// says. Errors are diagnostics.
  static mlir::FailureOr<std::unique_ptr<CompiledFunction>>
  bufferize(mlir::OwningOpRef<mlir::ModuleOp> module, llvm::StringRef entry,
            TileThreads threads = TileThreads::One,
            const ScratchpadOptions &scratchpad = {});
  ~CompiledFunction();

  /// The rest of the way; `optLevel` is 0 to 3.
  mlir::LogicalResult compile(unsigned optLevel);

  const std::vector<TensorSpec> &inputs() const { return inputSpecs; }
  const std::vector<TensorSpec> &results() const { return resultSpecs; }
  const std::vector<Arena> &arenas() const { return arenaSpecs; }

  /// Adds copies of the inputs, results, arenas and the most that temporary
  /// buffers take at one time.
  void addMemory(ByteSum &sum) const;

  /// Precondition: `compile` succeeded and `inputs` have the specs of inputs().
  /// The function works on copies.
  mlir::FailureOr<std::vector<HostTensor>>
  run(const std::vector<HostTensor> &inputs);

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
  double lastMilliseconds = 0;
  std::unique_ptr<mlir::ExecutionEngine> engine;
};

/// What the JIT asks dialects for; needed before the context exists.
void registerExecutionInterfaces(mlir::DialectRegistry &registry);

} // namespace npu

#endif // NPU_EXECUTION_JIT_COMPILEDFUNCTION_H
