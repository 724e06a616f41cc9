// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// The name of what computes an operation.

#ifndef NPU_LIB_ANALYSIS_DEVICES_KERNEL_H
#define NPU_LIB_ANALYSIS_DEVICES_KERNEL_H

#include "mlir/IR/Operation.h"

#include <string>

namespace npu {

/// The operation with the element types of its inputs and results, and of a
/// linalg.generic the operations of its body, each once: "linalg.matmul
/// f16xf16->f32", "linalg.generic(math.exp) f32->f32", "call of @f".
std::string kernelOf(mlir::Operation *op);

} // namespace npu

#endif // NPU_LIB_ANALYSIS_DEVICES_KERNEL_H
