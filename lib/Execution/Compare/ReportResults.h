// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// What npu-run prints about results.

#ifndef NPU_LIB_EXECUTION_COMPARE_REPORTRESULTS_H
#define NPU_LIB_EXECUTION_COMPARE_REPORTRESULTS_H

#include "RunSides.h"

namespace npu {

enum class Outcome { Equal, Allowed, Different };

Outcome outcomeOf(const Comparison &comparison);

/// Prints one result's comparison and gives it back.
Comparison reportResult(Side &side, const HostTensor &expected,
                        const HostTensor *replay, unsigned number,
                        const RunOptions &options, llvm::raw_ostream &out);

/// Prints the reductions that were split.
void reportSplits(llvm::ArrayRef<SplitReductionNote> splits,
                  llvm::raw_ostream &out);

/// Prints the rounding shares of split reductions, which explain the
/// differences that the replay accepts. Fails where a type cannot hold
/// a sum, which then has no meaningful value in any order.
mlir::LogicalResult reportRounding(const Sides &sides, llvm::raw_ostream &out);

/// Reports entries that the tile program reads unwritten, or uses of another
/// tile's tensors: errors that were edited into the program after it was
/// verified.
void reportBroken(Side &side, llvm::raw_ostream &out);

/// Prints the signature and the beginning of every result.
void reportRun(const Side &side, const RunOptions &options,
               llvm::raw_ostream &out);

/// Writes the results as .npy files, numbered if there are several.
mlir::LogicalResult writeResults(const Side &side, const std::string &path);

} // namespace npu

#endif // NPU_LIB_EXECUTION_COMPARE_REPORTRESULTS_H
