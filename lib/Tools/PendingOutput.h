// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// The output of a tool whose upstream part empties the file before everything
// is read, so that an output that is also an input would be lost by then.

#ifndef NPU_LIB_TOOLS_PENDINGOUTPUT_H
#define NPU_LIB_TOOLS_PENDINGOUTPUT_H

#include "npu/Placement/Result.h"

#include <string>

namespace npu {

/// Where a file is there already, the tool writes to another one beside it,
/// which takes its place at the end, unless it turned out to be an input
/// (npu/Support/InputFiles.h). Until then, and where the tool fails, the file
/// is what it was.
class PendingOutput {
public:
  /// `path` is what the user has named, "-" for standard output.
  explicit PendingOutput(std::string path);
  PendingOutput(const PendingOutput &) = delete;
  ~PendingOutput();

  /// The file to write to.
  const std::string &name() const { return temporary; }

  /// Ends a tool that has succeeded.
  Result<> keep();

private:
  std::string path, temporary;
};

} // namespace npu

#endif // NPU_LIB_TOOLS_PENDINGOUTPUT_H
