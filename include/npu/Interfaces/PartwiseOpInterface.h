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

#endif // NPU_INTERFACES_PARTWISEOPINTERFACE_H
