// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// The longest prompt whose padded program fits a target's scratchpads, found by
// compiling.

#ifndef NPU_LIB_CONVERSION_PLANSCRATCHPAD_LARGESTPROMPT_H
#define NPU_LIB_CONVERSION_PLANSCRATCHPAD_LARGESTPROMPT_H

#include "npu/Analysis/Padding/PaddingAnalysis.h"

#include "mlir/IR/BuiltinOps.h"

namespace npu {

struct LargestPrompt {
  /// No function is for fewer tokens than this.
  int64_t shortest = 1;
  /// One more does not compile; 0 where not even the shortest does,
  /// `mostConsidered` where that does.
  int64_t length = 0;

  static constexpr int64_t mostConsidered = int64_t{1} << 20;
};

/// Of the functions of `module`, which are not padded yet and stay as they are.
/// `target` is the name of the device, or empty: the module's own. Fails with a
/// diagnostic where there is neither, or where something other than memory
/// stands in the way.
mlir::FailureOr<LargestPrompt> findLargestPrompt(mlir::ModuleOp module,
                                                 const std::string &target,
                                                 PaddingSide side);

/// The same of the functions in a file; `asker` is whose option names it.
mlir::FailureOr<LargestPrompt> findLargestPromptOf(llvm::StringRef file,
                                                   mlir::Operation *asker,
                                                   const std::string &target,
                                                   PaddingSide side);

/// "the largest prompt that fits the scratchpads of npu4000 has 259 tokens\n"
std::string describe(const LargestPrompt &prompt, const std::string &target);

} // namespace npu

#endif // NPU_LIB_CONVERSION_PLANSCRATCHPAD_LARGESTPROMPT_H
