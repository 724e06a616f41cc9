// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// Models for operations of the scf dialect.

#ifndef NPU_LIB_EXTERNALMODELS_SCF_SCF_H
#define NPU_LIB_EXTERNALMODELS_SCF_SCF_H

#include "mlir/IR/DialectRegistry.h"

namespace npu {

void registerSCFPaddingModels(mlir::DialectRegistry &registry);

} // namespace npu

#endif // NPU_LIB_EXTERNALMODELS_SCF_SCF_H
