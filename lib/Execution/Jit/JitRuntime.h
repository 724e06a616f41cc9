// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// What compiled programs call: memory for temporary buffers, and an end where
// an assertion fails.

#ifndef NPU_LIB_EXECUTION_JIT_JITRUNTIME_H
#define NPU_LIB_EXECUTION_JIT_JITRUNTIME_H

namespace mlir {
class ExecutionEngine;
}

namespace npu {

/// Gives programs poisoned memory. The functions have names that LLVM knows
/// nothing about: it would take malloc's for undefined values, and could pick
/// the right ones by accident. A failed assertion ends the process with exit
/// code 1 and its text on standard error: nothing says how to leave compiled
/// code, which may be a tile's on another thread.
void registerJitRuntime(mlir::ExecutionEngine &engine);

} // namespace npu

#endif // NPU_LIB_EXECUTION_JIT_JITRUNTIME_H
