// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// The interface of operations that read one entry of a tensor; the .td file
// describes it. Ask through modelOf<EntryReadOpInterface>(op).

#ifndef NPU_INTERFACES_ENTRYREADOPINTERFACE_H
#define NPU_INTERFACES_ENTRYREADOPINTERFACE_H

#include "mlir/IR/OpDefinition.h"

#include "npu/Interfaces/EntryReadOpInterface.h.inc"

#endif // NPU_INTERFACES_ENTRYREADOPINTERFACE_H
