// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// Keeps a tool from writing over what it reads, or over what it has written.
// Whoever reads a file that a user has named notes it; whoever writes one asks
// first. Files are told apart by what they are and not by their names, so that
// links and other spellings of a path are found.
//
// Example of a tool:
//
//   noteInput("the model", "m.mlir");
//   checkOutputs({{"-o", "./m.mlir"}})
//       // "-o: expected another file than the model, got './m.mlir'"

#ifndef NPU_SUPPORT_INPUTFILES_H
#define NPU_SUPPORT_INPUTFILES_H

#include "npu/Placement/Result.h"

#include <string>
#include <vector>

namespace npu {

/// A file, and what the user calls it: "-o", or "the model".
struct NamedFile {
  std::string name;
  /// "" where there is none, "-" for standard output.
  std::string path;
};

/// Notes a file that this process reads, until it ends; `path` is "-" for
/// standard input. What is no file on a disk, or not there, is not noted.
/// Several threads may call this and checkOutput at the same time.
void noteInput(const std::string &name, const std::string &path);

/// Nothing wrong where a file that is written to is no input that was noted.
/// `option` is what the user calls the output, or empty. Every function of this
/// project that writes a file calls this before it opens one.
Result<> checkOutput(const std::string &option, const std::string &path);

/// Refuses outputs that are inputs, or outputs before them, also those of
/// earlier calls under another name: for tools, before they begin, and for
/// passes, which write what a tool does not know of.
Result<> checkOutputs(const std::vector<NamedFile> &outputs);

} // namespace npu

#endif // NPU_SUPPORT_INPUTFILES_H
