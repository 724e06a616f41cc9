// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// tensor.gather as a structured operation: upstream has no lowering for it.

#ifndef NPU_LIB_CONVERSION_BUFFERS_LOWERGATHER_H
#define NPU_LIB_CONVERSION_BUFFERS_LOWERGATHER_H

#include "mlir/Dialect/Tensor/IR/Tensor.h"

namespace npu {

/// A linalg.generic over the result whose every element loads its indices and
/// then the source at them. Fails, with nothing changed, on dynamic shapes.
llvm::FailureOr<mlir::Value> lowerGather(mlir::OpBuilder &builder,
                                         mlir::tensor::GatherOp gather);

} // namespace npu

#endif // NPU_LIB_CONVERSION_BUFFERS_LOWERGATHER_H
