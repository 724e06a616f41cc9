// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// The arguments and results of a function, as specs of host tensors.

#ifndef NPU_EXECUTION_JIT_SIGNATURE_H
#define NPU_EXECUTION_JIT_SIGNATURE_H

#include "npu/Host/HostTensor.h"

#include "mlir/Dialect/Func/IR/FuncOps.h"

namespace npu {

/// The host's element type for an MLIR type; nothing where npu-run has none.
std::optional<ElementType> elementTypeOf(mlir::Type type);

/// The function of that name whose signature may be changed, because nothing
/// calls it: the function itself, or a new caller that has its name where
/// others or it itself call it.
mlir::func::FuncOp notCalled(mlir::func::FuncOp function);

/// Rewrites scalars of the signature to tensors of rank 0, so that there is one
/// kind of value. A function that others or it itself call stays as it is and
/// gets a caller of its name, which is returned.
mlir::func::FuncOp wrapScalars(mlir::func::FuncOp function);

/// Rewrites the signature of a function on buffers: scalars become buffers of
/// rank 0, and returned scalars become arguments with `bufferize.result`, each
/// among the other results at the number in `npu.result`, or after them.
mlir::func::FuncOp wrapScalarsOfBuffers(mlir::func::FuncOp function);

/// Reads the specs of the arguments and results; an error where one is no
/// tensor of static shape and known element type.
mlir::LogicalResult readSpecs(mlir::func::FuncOp function,
                              std::vector<TensorSpec> &inputs,
                              std::vector<TensorSpec> &results);

/// Reads the specs of a function on buffers, whose results are the arguments
/// with `bufferize.result`. An error unless inputs, results and arenas are in
/// this order, or where a buffer has a layout map.
mlir::LogicalResult readBufferSpecs(mlir::func::FuncOp function,
                                    std::vector<TensorSpec> &inputs,
                                    std::vector<TensorSpec> &results);

/// Whether a buffer is never written to: all operations that use it, or views
/// of it, say by their effects that they read it.
bool isBufferOnlyRead(mlir::Value buffer);

/// The most bytes that `memref.alloc`s take at one time, with operations in
/// program order; a buffer without deallocation counts to the end.
int64_t temporaryBytes(mlir::Operation *root);

} // namespace npu

#endif // NPU_EXECUTION_JIT_SIGNATURE_H
