// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// Models for operations of the affine dialect.

#ifndef NPU_LIB_EXTERNALMODELS_AFFINE_AFFINE_H
#define NPU_LIB_EXTERNALMODELS_AFFINE_AFFINE_H

#include "mlir/IR/DialectRegistry.h"

namespace npu {

void registerAffineScalarModels(mlir::DialectRegistry &registry);

} // namespace npu

#endif // NPU_LIB_EXTERNALMODELS_AFFINE_AFFINE_H
