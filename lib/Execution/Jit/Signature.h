// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// What a function takes and returns, as specs of host tensors.

#ifndef NPU_LIB_EXECUTION_JIT_SIGNATURE_H
#define NPU_LIB_EXECUTION_JIT_SIGNATURE_H

#include "npu/Execution/Host/HostTensor.h"

#include "mlir/Dialect/Func/IR/FuncOps.h"

namespace npu {

/// The element type's spelling here; nothing where npu-run has none.
std::optional<ElementType> elementTypeOf(mlir::Type type);

/// Scalars of the signature become tensors of rank 0, so that there is one kind
/// of value. A function that others call, or itself, stays as it is and gets a
/// caller of its name, which is returned.
mlir::func::FuncOp wrapScalars(mlir::func::FuncOp function);

/// The same on buffers: scalars become buffers of rank 0, and those that are
/// returned arguments with `bufferize.result`, each among the other results
/// where `npu.result` says, or behind them.
mlir::func::FuncOp wrapScalarsOfBuffers(mlir::func::FuncOp function);

/// Specs of the arguments and results; an error where one is no tensor of
/// static shape and known element type.
mlir::LogicalResult readSpecs(mlir::func::FuncOp function,
                              std::vector<TensorSpec> &inputs,
                              std::vector<TensorSpec> &results);

/// The same for a function on buffers, whose results are the arguments with
/// `bufferize.result`. An error unless inputs, results and arenas come in this
/// order, or where a buffer's layout is not the plain one.
mlir::LogicalResult readBufferSpecs(mlir::func::FuncOp function,
                                    std::vector<TensorSpec> &inputs,
                                    std::vector<TensorSpec> &results);

/// The most bytes that `memref.alloc`s take at one time, operations in the
/// order in which they stand; a buffer that is never freed counts to the end.
int64_t temporaryBytes(mlir::Operation *root);

} // namespace npu

#endif // NPU_LIB_EXECUTION_JIT_SIGNATURE_H
