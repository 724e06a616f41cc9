// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// Where a loop of an operation may be cut, so that no part of a tensor that it
// indexes begins or ends inside of a byte.

#ifndef NPU_ANALYSIS_CHOICES_LOOPCUTS_H
#define NPU_ANALYSIS_CHOICES_LOOPCUTS_H

#include "mlir/IR/AffineMap.h"
#include "mlir/IR/BuiltinTypes.h"

namespace npu {

/// The iterations between places where a loop may be cut: 1 where no elements
/// share a byte, more where some do, and 0 where only the whole loop cuts none.
/// `map` has the dimensions of the tensor by loops, of which `isCut` chooses
/// those that are cut together. Example: of a 32x64 matrix of i4, the loop
/// along its columns has 2, and that along its rows 1.
int64_t multipleOfCuts(mlir::RankedTensorType type, mlir::AffineMap map,
                       llvm::function_ref<bool(unsigned loop)> isCut);

} // namespace npu

#endif // NPU_ANALYSIS_CHOICES_LOOPCUTS_H
