// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// Options of upstream that write files: their code asks nobody before it opens
// one, so that the command line is looked through first.

#ifndef NPU_LIB_TOOLS_UPSTREAMOUTPUTS_H
#define NPU_LIB_TOOLS_UPSTREAMOUTPUTS_H

#include "npu/Placement/Result.h"

#include "llvm/ADT/ArrayRef.h"

namespace npu {

/// Notes the files that arguments name as further inputs (`irdl-file=F`,
/// `overrides=F` of a pass), and then refuses an option of upstream that writes
/// to an input, as `--remarks-output-file=F` and `filename=F` of
/// --snapshot-op-locations. What has to be noted before is the tool's input.
Result<> checkUpstreamOutputs(llvm::ArrayRef<char *> arguments);

} // namespace npu

#endif // NPU_LIB_TOOLS_UPSTREAMOUTPUTS_H
