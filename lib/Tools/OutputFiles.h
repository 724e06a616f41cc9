// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// Keeps a tool from writing over what it reads, or over what it has written.

#ifndef NPU_LIB_TOOLS_OUTPUTFILES_H
#define NPU_LIB_TOOLS_OUTPUTFILES_H

#include <string>
#include <vector>

namespace npu {

/// A file, and what the user calls it: "-o", or "the model".
struct NamedFile {
  std::string name;
  /// "" where there is none, "-" for standard output.
  std::string path;
};

/// Refuses outputs that are inputs or outputs before them. Returns an error
/// message, or "".
std::string checkOutputs(std::vector<NamedFile> inputs,
                         const std::vector<NamedFile> &outputs);

} // namespace npu

#endif // NPU_LIB_TOOLS_OUTPUTFILES_H
