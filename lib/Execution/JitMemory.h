// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// Where compiled programs get their temporary buffers from.

#ifndef NPU_LIB_EXECUTION_JITMEMORY_H
#define NPU_LIB_EXECUTION_JITMEMORY_H

namespace mlir {
class ExecutionEngine;
}

namespace npu {

/// Gives programs poisoned memory. The functions have names that LLVM knows
/// nothing about: it would take malloc's for undefined values, and could pick
/// the right ones by accident.
void registerJitMemory(mlir::ExecutionEngine &engine);

} // namespace npu

#endif // NPU_LIB_EXECUTION_JITMEMORY_H
