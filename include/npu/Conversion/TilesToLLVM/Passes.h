// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// From plain functions and tile programs to LLVM: the steps that upstream does
// not have, and the pipeline that they stand in.

#ifndef NPU_CONVERSION_TILESTOLLVM_PASSES_H
#define NPU_CONVERSION_TILESTOLLVM_PASSES_H

#include "npu/Dialect/NPU/IR/NPUDialect.h"

#include "mlir/Dialect/Affine/IR/AffineOps.h"
#include "mlir/Dialect/Arith/IR/Arith.h"
#include "mlir/Dialect/Async/IR/Async.h"
#include "mlir/Dialect/Bufferization/IR/Bufferization.h"
#include "mlir/Dialect/ControlFlow/IR/ControlFlow.h"
#include "mlir/Dialect/Func/IR/FuncOps.h"
#include "mlir/Dialect/LLVMIR/LLVMDialect.h"
#include "mlir/Dialect/Linalg/IR/Linalg.h"
#include "mlir/Dialect/Math/IR/Math.h"
#include "mlir/Dialect/MemRef/IR/MemRef.h"
#include "mlir/Dialect/SCF/IR/SCF.h"
#include "mlir/Dialect/Tensor/IR/Tensor.h"
#include "mlir/Pass/Pass.h"
#include "mlir/Pass/PassManager.h"

namespace npu {

/// What programs call whose assertion has failed, with the text of an error,
/// and which does not return.
inline constexpr llvm::StringLiteral assertionFailedName =
    "npu_assertion_failed";

#define GEN_PASS_DECL
#define GEN_PASS_REGISTRATION
#include "npu/Conversion/TilesToLLVM/Passes.h.inc"

/// Tensors to buffers. Afterwards a function has one memref argument for every
/// tensor argument, then one for every result (`bufferize.result`), then one
/// for every tile's arena (`npu.arena`); buffers of tile k are in memory space
/// k + 1, at the offsets of npu-plan-scratchpad, which gets the options.
void buildTensorsToBuffers(mlir::OpPassManager &passes,
                           const PlanScratchpadOptions &plan = {});

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

#endif // NPU_CONVERSION_TILESTOLLVM_PASSES_H
