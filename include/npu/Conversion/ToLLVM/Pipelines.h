// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// From buffers to LLVM, and the pipelines that begin at tensors, by name:
// upstream's steps and those that upstream does not have.

#ifndef NPU_CONVERSION_TOLLVM_PIPELINES_H
#define NPU_CONVERSION_TOLLVM_PIPELINES_H

#include "mlir/Pass/PassManager.h"

namespace npu {

/// Frees every buffer that is still allocated, after its last use.
void buildDeallocation(mlir::OpPassManager &passes);

/// One after the other; or many, after npu-run-tiles-in-parallel, for a process
/// with MLIR's async runtime. That pass comes after deallocation, which does
/// not know of tasks.
enum class TileThreads { One, Many };

/// Buffers to the LLVM dialect: one loop nest for each structured operation,
/// nothing that would change a bit of the result.
void buildBuffersToLLVM(mlir::OpPassManager &passes,
                        TileThreads threads = TileThreads::One);

/// Registers npu-to-buffers and npu-to-llvm (all of the above; tiles run one
/// after the other unless it is npu-to-llvm=parallel).
void registerTilesToLLVMPipelines();

/// What the pipelines ask dialects for (how they bufferize, how they become
/// LLVM). Needed before the context exists.
void registerTilesToLLVMInterfaces(mlir::DialectRegistry &registry);

} // namespace npu

#endif // NPU_CONVERSION_TOLLVM_PIPELINES_H
