// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// What npu-fuzz does: it runs many cases, counts their outcomes, and writes a
// small file for each case that failed.

#ifndef NPU_FUZZ_CAMPAIGN_H
#define NPU_FUZZ_CAMPAIGN_H

#include "npu-fuzz/Cases/Modes.h"

#include "llvm/Support/LogicalResult.h"
#include "llvm/Support/raw_ostream.h"

namespace npu {

struct CampaignOptions {
  uint64_t seed = 0;
  /// Cases `first` to `first + count - 1`.
  uint64_t first = 0;
  uint64_t count = 100;
  CaseMode mode = CaseMode::Functions;
  Break broken = Break::None;
  unsigned optLevel = 0;
  /// The directory for files of failing functions; it is made when it is
  /// needed.
  std::string outputDir = ".";
  /// The number of failures that get a report, a file and a reduction; further
  /// ones are only counted.
  unsigned mostReports = 10;
  IsolationOptions isolation;
};

/// Prints the cases without running them.
void printCases(const CampaignOptions &options, llvm::raw_ostream &out);

/// Runs the cases. Each failure is a line of `out` with its number, its message
/// and the file that it was written to; the last line is `N cases, A different,
/// B crashed, C refused`. With a prompt or a cache it goes on with `, D
/// accepted` (by the pass that may refuse what it cannot do), with `, D
/// spoiled` (functions with a sum to spoil), or with what became of edits. Of
/// graphs of TOSA, a line for each reason stands before it, with the number of
/// graphs that were refused for it. The first failures are reduced, which takes
/// some time. Fails where A, B or C is not 0, or where a file cannot be
/// written.
llvm::LogicalResult runCampaign(const CampaignOptions &options,
                                llvm::raw_ostream &out);

} // namespace npu

#endif // NPU_FUZZ_CAMPAIGN_H
