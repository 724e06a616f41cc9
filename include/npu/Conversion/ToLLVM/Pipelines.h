// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// The pipeline from buffers to LLVM, and the named pipelines that begin at
// tensors. They consist of upstream's passes and of those of this project.

#ifndef NPU_CONVERSION_TOLLVM_PIPELINES_H
#define NPU_CONVERSION_TOLLVM_PIPELINES_H

#include "mlir/Pass/PassManager.h"

namespace npu {

/// Adds the passes that free every allocated buffer after its last use.
void buildDeallocation(mlir::OpPassManager &passes);

/// How the tiles of a program run: One runs tile after tile on one thread; Many
/// follows npu-run-tiles-in-parallel and runs in a process with MLIR's async
/// runtime. That pass comes after deallocation, which does not know of tasks.
enum class TileThreads { One, Many };

/// Adds the passes from buffers to the LLVM dialect: one loop nest for each
/// structured operation, and no optimisation that would change a bit of the
/// result. The function `entry` takes one list of its buffers behind them
/// (npu-pack-arguments); without a name, every function keeps its arguments.
void buildBuffersToLLVM(mlir::OpPassManager &passes,
                        TileThreads threads = TileThreads::One,
                        llvm::StringRef entry = {});

/// Registers the pipelines npu-to-buffers and npu-to-llvm. Under npu-to-llvm,
/// tiles run one after the other unless the option is npu-to-llvm=parallel.
void registerTilesToLLVMPipelines();

/// Registers the interfaces that the pipelines need of dialects: how they
/// bufferize, how they become LLVM. To be called before the context exists.
void registerTilesToLLVMInterfaces(mlir::DialectRegistry &registry);

} // namespace npu

#endif // NPU_CONVERSION_TOLLVM_PIPELINES_H
