// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// The interface of operations on scalars; the .td file describes it. Ask
// through modelOf<ScalarOpInterface>(op).

#ifndef NPU_INTERFACES_SCALAROPINTERFACE_H
#define NPU_INTERFACES_SCALAROPINTERFACE_H

#include "mlir/IR/AffineExpr.h"
#include "mlir/IR/OpDefinition.h"

#include <optional>

#include "npu/Interfaces/ScalarOpInterface.h.inc"

#endif // NPU_INTERFACES_SCALAROPINTERFACE_H
