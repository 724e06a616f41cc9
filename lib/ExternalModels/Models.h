// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// Models for operations of upstream's dialects, where none follows from their
// own interfaces (Defaults.h), and of npu. Those of npu are not part of the
// dialect, because all its users would be rebuilt when an interface changes.

#ifndef NPU_LIB_EXTERNALMODELS_MODELS_H
#define NPU_LIB_EXTERNALMODELS_MODELS_H

#include "mlir/IR/DialectRegistry.h"

namespace npu {

void registerAffineModels(mlir::DialectRegistry &registry);
void registerArithModels(mlir::DialectRegistry &registry);
void registerLinalgModels(mlir::DialectRegistry &registry);
void registerNPUModels(mlir::DialectRegistry &registry);
/// npu.gather and npu.scatter.
void registerPositionModels(mlir::DialectRegistry &registry);
void registerSCFModels(mlir::DialectRegistry &registry);
/// Models of PaddingOpInterface for tensor are registered by four functions:
/// for slices, reshapes, pads and concatenations, and all others.
void registerSlicePaddingModels(mlir::DialectRegistry &registry);
void registerReshapePaddingModels(mlir::DialectRegistry &registry);
void registerPadPaddingModels(mlir::DialectRegistry &registry);
void registerTensorPaddingModels(mlir::DialectRegistry &registry);
void registerTensorPartwiseModels(mlir::DialectRegistry &registry);
void registerTensorCausalModels(mlir::DialectRegistry &registry);
void registerTensorStructuredForms(mlir::DialectRegistry &registry);
/// Which entries operations read and write, what they cost, and how they are
/// made again.
void registerTensorEntryModels(mlir::DialectRegistry &registry);

} // namespace npu

#endif // NPU_LIB_EXTERNALMODELS_MODELS_H
