// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// A prompt in a function that knows of none: some dimensions of equal extent,
// or of one run-time length, and what they are padded to.

#ifndef NPU_LIB_FUZZ_CASES_PROMPTCASE_H
#define NPU_LIB_FUZZ_CASES_PROMPTCASE_H

#include "npu/Dialect/NPU/Transforms/Padding/PadToMaxPromptLen.h"
#include "npu/Fuzz/Recipes/Recipe.h"

#include "mlir/IR/BuiltinOps.h"
#include "mlir/IR/OwningOpRef.h"

#include <optional>
#include <string>

namespace npu {

struct PromptCase {
  /// Nothing where no argument has a dimension of extent 1 or more.
  std::optional<PadOptions> padding;
  /// The run-time lengths to be run at; none: the length is known.
  std::vector<int64_t> lengths;
  /// How many tiles share what has been padded from a run-time length; 1: it
  /// has no layout.
  int64_t tiles = 1;

  /// By its own pass: legalization knows neither of both.
  bool padsFirst() const {
    return tiles > 1 || (padding && padding->withoutMask >= 0);
  }
};

/// The recipe as a function with a prompt, `prompt`, that depends on `seed`
/// alone. Every other one has a run-time length where its recipe can have that.
/// Null after a diagnostic.
mlir::OwningOpRef<mlir::ModuleOp> withPrompt(const Recipe &recipe,
                                             uint64_t seed,
                                             mlir::MLIRContext &context,
                                             PromptCase &prompt);

/// The pass by itself.
mlir::LogicalResult pad(mlir::ModuleOp module, const PadOptions &padding);

/// Splits the first dimension of that extent of every tensor, as
/// test/Execution/Inputs/split_over_tiles.py does.
void splitOverTiles(mlir::ModuleOp module, int64_t extent, int64_t tiles);

/// The commands that legalize FILE, up to their input and output.
std::string pipelineOf(const PromptCase &prompt, bool splitReductions);

} // namespace npu

#endif // NPU_LIB_FUZZ_CASES_PROMPTCASE_H
