// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// Runs an artefact token after token: its caches stay from run to run.

#ifndef NPU_EXECUTION_COMPARE_DECODE_H
#define NPU_EXECUTION_COMPARE_DECODE_H

#include "npu/Execution/Compare/RunAndCompare.h"

namespace npu {

struct DecodeOptions {
  /// How many runs there are after the prompt.
  int64_t steps = 0;
  /// The words of the prompt; without them, inputs are read or generated, and
  /// there are as many as --length says.
  std::vector<int64_t> prompt;
  /// Whether the word of the largest logit is the next one.
  bool isGreedy = false;
  /// Files for the state; empty: it is not kept, and begins without entries.
  std::string saveState, loadState;
};

/// Runs the prompt and then each step, and compares every run with the
/// reference, unless that is null: with the function on all rows so far and no
/// cache, or, where that takes a fixed number of rows, with the function on
/// copies of its caches. `options.repeat` times, each from the same state.
llvm::LogicalResult decodeArtefact(Artefact artefact, const std::string &file,
                                   mlir::OwningOpRef<mlir::ModuleOp> reference,
                                   mlir::MLIRContext &context,
                                   const RunOptions &options,
                                   const DecodeOptions &decode,
                                   llvm::raw_ostream &out);

} // namespace npu

#endif // NPU_EXECUTION_COMPARE_DECODE_H
