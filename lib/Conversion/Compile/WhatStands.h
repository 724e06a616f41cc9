// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// What tells the phases of npu-compile apart: the kinds of types, attributes
// and operations that stand in a module.

#ifndef NPU_LIB_CONVERSION_COMPILE_WHATSTANDS_H
#define NPU_LIB_CONVERSION_COMPILE_WHATSTANDS_H

#include "npu/Conversion/Phases.h"

#include "mlir/IR/BuiltinOps.h"

namespace npu {

/// An error at the first operation that a module of that phase does not have:
/// TOSA after `input`, a layout in a tile program, a tensor after
/// `scratchpad`.
llvm::LogicalResult verifyWhatStands(mlir::ModuleOp module, CompilePhase phase);

} // namespace npu

#endif // NPU_LIB_CONVERSION_COMPILE_WHATSTANDS_H
