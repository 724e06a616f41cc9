// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception

#ifndef NPU_ANALYSIS_KERNELS_NAMEOFKERNEL_H
#define NPU_ANALYSIS_KERNELS_NAMEOFKERNEL_H

#include "mlir/IR/Operation.h"

#include <string>

namespace npu {

/// An operation with the element types of its inputs and results, and of a
/// linalg.generic the operations of its body, each once: "linalg.matmul
/// f16xf16->f32", "linalg.generic(math.exp) f32->f32", "call of @f". Reports
/// call the kernel of an operation so.
std::string nameOfKernel(mlir::Operation *op);

} // namespace npu

#endif // NPU_ANALYSIS_KERNELS_NAMEOFKERNEL_H
