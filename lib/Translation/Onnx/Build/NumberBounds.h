// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// What numbers that follow from prompts are at the least and at the most.
//
// Sums, quotients and remainders of prompts' lengths by constants repeat: some
// lengths further on, they are more or less by a constant. So a few lengths say
// what they are at the least at any length. Example: n - (n + 1) floordiv 2 is
// 1 more at every second length, and at least what it is at lengths 1 and 2, 0.

#ifndef NPU_LIB_TRANSLATION_ONNX_BUILD_NUMBERBOUNDS_H
#define NPU_LIB_TRANSLATION_ONNX_BUILD_NUMBERBOUNDS_H

#include "mlir/Dialect/Utils/StaticValueUtils.h"
#include "mlir/Interfaces/FunctionInterfaces.h"

#include <string>

namespace npu {

/// What a number is at the least and at the most; nothing where there is no
/// bound, or where none is known.
struct NumberBounds {
  std::optional<int64_t> least, most;
};

/// Which lengths of prompts bounds are asked for.
enum class Lengths {
  /// All at which every prompt has at least one entry.
  FromOne,
  /// Those of runs: of several prompts, each but one may be empty, as caches
  /// are
  /// at first.
  OfRuns,
};

/// Bounds over all such lengths of all prompts.
NumberBounds boundsOf(mlir::OpFoldResult number,
                      Lengths lengths = Lengths::FromOne);

/// What a number is that is below a bound, and where: "-1 at length 9 of
/// 'sequence'" with the shortest such length, "possibly less than 0, as far
/// as is known" where no length is known.
std::string describeBelow(mlir::OpFoldResult number, int64_t bound);

/// A dynamic dimension of an argument of a function.
struct PromptDim {
  mlir::BlockArgument argument;
  int64_t dim = 0;

  /// The name of the dimension; empty where it has none.
  llvm::StringRef name() const;
};

/// The first dynamic dimension of a function whose name, which may be empty, is
/// a wanted one; nothing where there is none.
std::optional<PromptDim>
findPromptDim(mlir::FunctionOpInterface function,
              llvm::function_ref<bool(llvm::StringRef name)> isWanted);

} // namespace npu

#endif // NPU_LIB_TRANSLATION_ONNX_BUILD_NUMBERBOUNDS_H
