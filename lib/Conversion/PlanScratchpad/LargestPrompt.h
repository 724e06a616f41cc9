// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// Finds the longest prompt whose padded program fits a target's scratchpads, by
// compiling at several lengths.

#ifndef NPU_LIB_CONVERSION_PLANSCRATCHPAD_LARGESTPROMPT_H
#define NPU_LIB_CONVERSION_PLANSCRATCHPAD_LARGESTPROMPT_H

#include "npu/Analysis/Padding/PaddingAnalysis.h"
#include "npu/Target/Target.h"

#include "mlir/IR/BuiltinOps.h"

namespace npu {

struct LargestPrompt {
  /// The smallest length that all functions allow.
  int64_t shortest = 1;
  /// The largest length that fits; 0 where not even the shortest does,
  /// `maxConsidered` where that does.
  int64_t length = 0;
  /// Why one token more does not fit: the first error.
  std::string limit;

  static constexpr int64_t maxConsidered = int64_t{1} << 20;
};

/// Finds the largest prompt of the functions of `module`, which are not padded
/// yet and do not change. `target` is the name of the device, or empty for the
/// module's own. Fails with a diagnostic where there is neither, or where
/// compiling fails for another reason than memory.
mlir::FailureOr<LargestPrompt> findLargestPrompt(mlir::ModuleOp module,
                                                 const std::string &target,
                                                 PaddingSide side);

/// Finds the largest prompt of the functions in a file. Diagnostics are at
/// `asker`, whose option names the file.
mlir::FailureOr<LargestPrompt> findLargestPromptOf(llvm::StringRef file,
                                                   mlir::Operation *asker,
                                                   const std::string &target,
                                                   PaddingSide side);

/// "the largest prompt that fits the scratchpads of npu4000 has 259 tokens\n",
/// and what limits it.
std::string describe(const LargestPrompt &prompt, const Target &target);

} // namespace npu

#endif // NPU_LIB_CONVERSION_PLANSCRATCHPAD_LARGESTPROMPT_H
