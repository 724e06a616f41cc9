// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// Takes reshapes away from between operations that could run in the same steps:
// a product of 2x6x512x512 scores, a softmax of 12x512x512 and a product of
// 2x6x512x512 become three operations on 2x6x512x512.

#ifndef NPU_EXTERNALMODELS_TENSOR_EXPANDRESHAPES_H
#define NPU_EXTERNALMODELS_TENSOR_EXPANDRESHAPES_H

#include "mlir/Interfaces/FunctionInterfaces.h"

namespace npu {

/// Elementwise operations and reductions on a collapsed tensor, which an
/// operation of linalg makes, run on the tensor before it is collapsed, by
/// upstream's patterns. An expansion back ends there. Results stay the same.
void expandReshapes(mlir::FunctionOpInterface function);

} // namespace npu

#endif // NPU_EXTERNALMODELS_TENSOR_EXPANDRESHAPES_H
