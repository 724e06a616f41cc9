// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// Gives a function a prompt: some dimensions of equal extent become prompt
// dimensions, or the function has a prompt of run-time length; and pads it.

#ifndef NPU_FUZZ_CASES_PADDING_H
#define NPU_FUZZ_CASES_PADDING_H

#include "npu-fuzz/Cases/Session.h"
#include "npu/Preprocess/Padding/PadToMaxPromptLen.h"

namespace npu {

struct PromptPlan {
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

/// Parses the function, with a prompt if it is to have one; null after a
/// diagnostic. The prompt depends on the seed alone.
mlir::OwningOpRef<mlir::ModuleOp> withPrompt(Session &session,
                                             const MadeFunction &function,
                                             const CaseOptions &options,
                                             PromptPlan &plan);

/// Runs the padding pass by itself.
mlir::LogicalResult pad(mlir::ModuleOp module, const PadOptions &padding);

/// Splits the first dimension of that extent of every tensor, as
/// test/Execution/Inputs/split_over_tiles.py does.
void splitOverTiles(mlir::ModuleOp module, int64_t extent, int64_t tiles);

/// The commands that legalize FILE, up to their input and output.
std::string pipelineOf(const PromptPlan &plan, bool splitReductions);

} // namespace npu

#endif // NPU_FUZZ_CASES_PADDING_H
