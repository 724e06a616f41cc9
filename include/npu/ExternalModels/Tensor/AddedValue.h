// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception

#ifndef NPU_EXTERNALMODELS_TENSOR_ADDEDVALUE_H
#define NPU_EXTERNALMODELS_TENSOR_ADDEDVALUE_H

#include "mlir/Dialect/Tensor/IR/Tensor.h"

namespace npu {

/// The scalar that `pad`, a tensor.pad, adds everywhere, as a value that can be
/// used where `builder` stands: a constant of the pad's own region is made
/// again. Null where the pad computes what it adds in its region.
mlir::Value addedValue(mlir::OpBuilder &builder, mlir::tensor::PadOp pad);

} // namespace npu

#endif // NPU_EXTERNALMODELS_TENSOR_ADDEDVALUE_H
