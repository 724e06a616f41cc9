// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// The data layout of the machine that a module is compiled for.

#ifndef NPU_EXECUTION_JIT_MACHINELAYOUT_H
#define NPU_EXECUTION_JIT_MACHINELAYOUT_H

#include "mlir/IR/BuiltinOps.h"

namespace llvm {
class TargetMachine;
} // namespace llvm

namespace npu {

/// Gives a module of the LLVM dialect the machine's data layout. Translation to
/// LLVM IR computes sizes of allocations, and without it takes LLVM's default,
/// in which an i65 has 12 bytes where x86-64 has 16.
void setMachineLayout(mlir::ModuleOp module,
                      const llvm::TargetMachine &machine);

} // namespace npu

#endif // NPU_EXECUTION_JIT_MACHINELAYOUT_H
