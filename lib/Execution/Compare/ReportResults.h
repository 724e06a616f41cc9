// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// What npu-run says of results.

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

/// Prints how far the parts of reductions and their wholes are apart, of which
/// differences come that the replay lets pass. False where a sum is not held by
/// its type, and so means nothing in either order.
bool reportRounding(const Sides &sides, llvm::raw_ostream &out);

/// Says what the tile program reads that nobody wrote, or uses of another
/// tile's: what was done to it by hand after it had been verified.
void reportBroken(Side &side, llvm::raw_ostream &out);

/// Prints the signature and the beginning of every result.
void reportRun(const Side &side, const RunOptions &options,
               llvm::raw_ostream &out);

/// As .npy; several are numbered.
mlir::LogicalResult writeResults(const Side &side, const std::string &path);

} // namespace npu

#endif // NPU_LIB_EXECUTION_COMPARE_REPORTRESULTS_H
