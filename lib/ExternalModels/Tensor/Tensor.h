// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// Models for operations of the tensor dialect.

#ifndef NPU_LIB_EXTERNALMODELS_TENSOR_TENSOR_H
#define NPU_LIB_EXTERNALMODELS_TENSOR_TENSOR_H

#include "mlir/IR/DialectRegistry.h"

namespace npu {

/// Models of PaddingOpInterface are registered by four functions: for slices,
/// reshapes, pads and concatenations, and all others.
void registerSlicePaddingModels(mlir::DialectRegistry &registry);
void registerReshapePaddingModels(mlir::DialectRegistry &registry);
void registerPadPaddingModels(mlir::DialectRegistry &registry);
void registerTensorEntryReadModels(mlir::DialectRegistry &registry);
void registerTensorPaddingModels(mlir::DialectRegistry &registry);
void registerTensorPartwiseModels(mlir::DialectRegistry &registry);
void registerTensorRematerializableModels(mlir::DialectRegistry &registry);
void registerTensorScalarModels(mlir::DialectRegistry &registry);
void registerTensorCausalModels(mlir::DialectRegistry &registry);
void registerTensorStructuredForms(mlir::DialectRegistry &registry);
void registerTensorWorkModels(mlir::DialectRegistry &registry);

} // namespace npu

#endif // NPU_LIB_EXTERNALMODELS_TENSOR_TENSOR_H
