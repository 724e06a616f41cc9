// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// What our own operations say. Not in their dialect, of which every file would
// be built again when an interface changes.

#ifndef NPU_LIB_EXTERNALMODELS_NPU_NPU_H
#define NPU_LIB_EXTERNALMODELS_NPU_NPU_H

#include "mlir/IR/DialectRegistry.h"

namespace npu {

void registerNPUPaddingModels(mlir::DialectRegistry &registry);

} // namespace npu

#endif // NPU_LIB_EXTERNALMODELS_NPU_NPU_H
