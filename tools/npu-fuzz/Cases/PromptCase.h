// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// Gives a function a prompt: some dimensions of equal extent, or of one
// run-time length, become prompt dimensions and are padded.

#ifndef NPU_FUZZ_CASES_PROMPTCASE_H
#define NPU_FUZZ_CASES_PROMPTCASE_H

#include "npu-fuzz/Recipes/Recipe.h"
#include "npu/Preprocess/Padding/PadToMaxPromptLen.h"

#include "mlir/IR/BuiltinOps.h"
#include "mlir/IR/OwningOpRef.h"

#include <optional>
#include <string>

namespace npu {

struct PromptCase {
  /// The options of padding; nothing where no argument has a dimension of
  /// extent 1 or more.
  std::optional<PadOptions> padding;
  /// The run-time lengths at which the function is run; empty: the length is
  /// known.
  std::vector<int64_t> lengths;
  /// The number of tiles over which padded tensors of run-time length are
  /// split; 1: they have no layouts.
  int64_t tiles = 1;

  /// Whether the padding pass runs by itself before legalization, which cannot
  /// split tensors over tiles or leave out a mask.
  bool padsFirst() const {
    return tiles > 1 || (padding && padding->withoutMask >= 0);
  }
};

/// The recipe as a function with the prompt `prompt`, both of which depend on
/// `seed` alone. Every other function has a run-time length where its recipe
/// can have one. Null after a diagnostic.
mlir::OwningOpRef<mlir::ModuleOp> withPrompt(const Recipe &recipe,
                                             uint64_t seed,
                                             mlir::MLIRContext &context,
                                             PromptCase &prompt);

/// Runs the padding pass by itself.
mlir::LogicalResult pad(mlir::ModuleOp module, const PadOptions &padding);

/// Splits the first dimension of that extent of every tensor, as
/// test/Execution/Inputs/split_over_tiles.py does.
void splitOverTiles(mlir::ModuleOp module, int64_t extent, int64_t tiles);

/// The commands that legalize FILE, up to their input and output.
std::string pipelineOf(const PromptCase &prompt, bool splitReductions);

} // namespace npu

#endif // NPU_FUZZ_CASES_PROMPTCASE_H
