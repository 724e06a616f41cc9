// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// A prompt in a function that knows of none: some dimensions of equal extent,
// and what they are padded to.

#ifndef NPU_LIB_FUZZ_PROMPTCASE_H
#define NPU_LIB_FUZZ_PROMPTCASE_H

#include "npu/Dialect/NPU/Transforms/PadToMaxPromptLen.h"

#include "mlir/IR/BuiltinOps.h"

#include <optional>
#include <string>

namespace npu {

/// Marks dimensions of `main`'s arguments and says how to pad them, poison
/// included; what depends on `seed` alone. Nothing where no argument has a
/// dimension of extent 1 or more.
std::optional<PadOptions> markPrompt(mlir::ModuleOp module, uint64_t seed);

/// "max-prompt-len=9 side=left poison", for a command line.
std::string toString(const PadOptions &options);

} // namespace npu

#endif // NPU_LIB_FUZZ_PROMPTCASE_H
