// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception

#ifndef NPU_EXTERNALMODELS_TENSOR_ADDEDVALUE_H
#define NPU_EXTERNALMODELS_TENSOR_ADDEDVALUE_H

#include "mlir/Dialect/Tensor/IR/Tensor.h"

namespace npu {

/// The one value that a tensor.pad adds everywhere, where `builder` stands:
/// made again if it is a constant of the pad's own region, which others must
/// not use. Null where the pad adds a value that is computed in its region.
mlir::Value addedValue(mlir::OpBuilder &builder, mlir::tensor::PadOp pad);

} // namespace npu

#endif // NPU_EXTERNALMODELS_TENSOR_ADDEDVALUE_H
