// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// What an operation says of the parts of its operands and results; the .td file
// describes the interface. Ask through modelOf<PartwiseOpInterface>(op).

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

/// The tensor of which the one result of `op` is another view or a part: a
/// slice, a reshape, a cast. Null where it is none.
mlir::Value viewedTensor(mlir::Operation *op);

/// The tensor of which `op` writes a part over, keeping the rest, and which it
/// does nothing else to: an insertion. Null where it is none.
mlir::Value writtenOver(mlir::Operation *op);

} // namespace npu

#endif // NPU_INTERFACES_PARTWISEOPINTERFACE_H
