// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// The interface by which an operation says how it works part by part; the .td
// file describes it. Ask through modelOf<PartwiseOpInterface>(op).

#ifndef NPU_INTERFACES_PARTWISEOPINTERFACE_H
#define NPU_INTERFACES_PARTWISEOPINTERFACE_H

#include "npu/Interfaces/OpAccess.h"

#include "mlir/IR/OpDefinition.h"

#include <string>

namespace npu {
class TilePart;
} // namespace npu

#include "npu/Interfaces/PartwiseOpInterface.h.inc"

namespace npu {

/// The tensor of which the only result of `op` is another view or a part: `op`
/// is a slice, a reshape or a cast. Null for other operations.
mlir::Value viewedTensor(mlir::Operation *op);

/// The tensor that the result of `op`, an insertion, is equal to but for the
/// part that `op` writes. Null for other operations.
mlir::Value writtenOver(mlir::Operation *op);

} // namespace npu

#endif // NPU_INTERFACES_PARTWISEOPINTERFACE_H
