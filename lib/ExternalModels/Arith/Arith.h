// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// Models for operations of the arith dialect.

#ifndef NPU_LIB_EXTERNALMODELS_ARITH_ARITH_H
#define NPU_LIB_EXTERNALMODELS_ARITH_ARITH_H

#include "mlir/IR/DialectRegistry.h"

namespace npu {

void registerArithRematerializableModels(mlir::DialectRegistry &registry);
void registerArithScalarModels(mlir::DialectRegistry &registry);

} // namespace npu

#endif // NPU_LIB_EXTERNALMODELS_ARITH_ARITH_H
