// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// What fuzzers share: a context that says nothing, and a way to say that
// something that must hold does not.

#ifndef NPU_TEST_FUZZ_FUZZCONTEXT_H
#define NPU_TEST_FUZZ_FUZZCONTEXT_H

#include "mlir/IR/MLIRContext.h"

namespace npu {

/// A context with the dialects of this project and func, without threads, whose
/// diagnostics go nowhere. A new one now and then: attributes stay for as long
/// as their context does, and no input is like another.
mlir::MLIRContext &fuzzContext();

/// Ends the process with a message, so that libFuzzer keeps the input.
void require(bool holds, const char *what);

} // namespace npu

#endif // NPU_TEST_FUZZ_FUZZCONTEXT_H
