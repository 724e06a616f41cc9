// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// The functions that compiled programs call: allocation of temporary buffers,
// the end of the process where an assertion fails, and, where executions are
// noted, the count of them.

#ifndef NPU_LIB_EXECUTION_JIT_JITRUNTIME_H
#define NPU_LIB_EXECUTION_JIT_JITRUNTIME_H

#include "llvm/ExecutionEngine/Orc/Core.h"
#include "llvm/ExecutionEngine/Orc/Mangling.h"

namespace npu {

/// The functions by their names in compiled programs. Allocation poisons
/// memory; it has names that LLVM does not know, because LLVM would treat
/// memory of malloc as undefined, and could choose the right values by
/// accident. A failed assertion ends the process with exit code 1 and its text
/// on standard error: there is no way to leave compiled code, which may run on
/// another thread.
llvm::orc::SymbolMap jitRuntimeSymbols(llvm::orc::MangleAndInterner interner);

} // namespace npu

#endif // NPU_LIB_EXECUTION_JIT_JITRUNTIME_H
