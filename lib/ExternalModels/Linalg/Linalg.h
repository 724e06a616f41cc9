// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// Models for operations of the linalg dialect that do not have LinalgOp.

#ifndef NPU_LIB_EXTERNALMODELS_LINALG_LINALG_H
#define NPU_LIB_EXTERNALMODELS_LINALG_LINALG_H

#include "mlir/IR/DialectRegistry.h"

namespace npu {

void registerLinalgPaddingModels(mlir::DialectRegistry &registry);
void registerLinalgPartwiseModels(mlir::DialectRegistry &registry);
void registerLinalgStructuredForms(mlir::DialectRegistry &registry);
void registerLinalgWorkModels(mlir::DialectRegistry &registry);

} // namespace npu

#endif // NPU_LIB_EXTERNALMODELS_LINALG_LINALG_H
