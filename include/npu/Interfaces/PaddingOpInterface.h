// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// The interface by which an operation says what it does with padding; the .td
// file describes it. Ask through modelOf<PaddingOpInterface>(op).

#ifndef NPU_INTERFACES_PADDINGOPINTERFACE_H
#define NPU_INTERFACES_PADDINGOPINTERFACE_H

#include "npu/Interfaces/EntryReader.h"
#include "npu/Interfaces/PaddedOperands.h"
#include "npu/Interfaces/PaddingTransfer.h"

#include "mlir/IR/OpDefinition.h"

#include "npu/Interfaces/PaddingOpInterface.h.inc"

namespace npu {

/// Whether `value` can be rematerialized with any padding that is wanted: an
/// unwritten tensor, one with the same value everywhere, or a constant.
bool canBeMadeAgain(mlir::Value value);

} // namespace npu

#endif // NPU_INTERFACES_PADDINGOPINTERFACE_H
