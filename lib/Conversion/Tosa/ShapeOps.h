// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// What TOSA's operations on shapes compute.

#ifndef NPU_LIB_CONVERSION_TOSA_SHAPEOPS_H
#define NPU_LIB_CONVERSION_TOSA_SHAPEOPS_H

#include "mlir/IR/Value.h"

#include <optional>

namespace npu {

/// The extents of a value of type !tosa.shape that is computed from constants
/// and static extents alone. Nothing where one of them is known at run time
/// only, divided by 0 or beyond 64 bits.
std::optional<llvm::SmallVector<int64_t>> constantShape(mlir::Value shape);

} // namespace npu

#endif // NPU_LIB_CONVERSION_TOSA_SHAPEOPS_H
