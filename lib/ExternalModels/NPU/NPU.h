// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// Models for operations of the npu dialect. They are not part of the dialect,
// because all its users would be rebuilt when an interface changes.

#ifndef NPU_LIB_EXTERNALMODELS_NPU_NPU_H
#define NPU_LIB_EXTERNALMODELS_NPU_NPU_H

#include "mlir/IR/DialectRegistry.h"

namespace npu {

void registerNPUPaddingModels(mlir::DialectRegistry &registry);

} // namespace npu

#endif // NPU_LIB_EXTERNALMODELS_NPU_NPU_H
