// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// What npu-run says of results.

#ifndef NPU_LIB_EXECUTION_REPORTRESULTS_H
#define NPU_LIB_EXECUTION_REPORTRESULTS_H

#include "RunSides.h"

namespace npu {

enum class Outcome { Equal, Allowed, Different };

/// Prints one result's comparison.
Outcome reportResult(Side &side, const HostTensor &expected,
                     const HostTensor *bound, unsigned number,
                     const RunOptions &options, llvm::raw_ostream &out);

/// Prints the reductions that were split.
void reportSplits(llvm::ArrayRef<SplitReductionNote> splits,
                  llvm::raw_ostream &out);

/// Says what the tile program reads that nobody wrote, or uses of another
/// tile's: what was done to it by hand after it had been verified.
void reportBroken(Side &side, llvm::raw_ostream &out);

/// Prints the signature and the beginning of every result.
void reportRun(const Side &side, const RunOptions &options,
               llvm::raw_ostream &out);

/// As .npy; several are numbered.
mlir::LogicalResult writeResults(const Side &side, const std::string &path);

} // namespace npu

#endif // NPU_LIB_EXECUTION_REPORTRESULTS_H
