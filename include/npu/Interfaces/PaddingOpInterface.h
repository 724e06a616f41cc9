// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// What an operation does with padding; the .td file describes the interface.
// Ask through modelOf<PaddingOpInterface>(op).

#ifndef NPU_INTERFACES_PADDINGOPINTERFACE_H
#define NPU_INTERFACES_PADDINGOPINTERFACE_H

#include "npu/Interfaces/EntryReader.h"
#include "npu/Interfaces/PaddedOperands.h"
#include "npu/Interfaces/PaddingTransfer.h"

#include "mlir/IR/OpDefinition.h"

#include "npu/Interfaces/PaddingOpInterface.h.inc"

namespace npu {

/// What nobody has written, one value everywhere, and constants: they have
/// whatever padding is wanted.
bool canBeMadeAgain(mlir::Value value);

} // namespace npu

#endif // NPU_INTERFACES_PADDINGOPINTERFACE_H
