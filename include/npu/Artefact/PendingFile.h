// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// A file that is written before it has its name.

#ifndef NPU_ARTEFACT_PENDINGFILE_H
#define NPU_ARTEFACT_PENDINGFILE_H

#include "npu/Placement/Result.h"

#include "llvm/ADT/STLFunctionalExtras.h"
#include "llvm/Support/raw_ostream.h"

#include <string>

namespace npu {

/// A new file beside the one that it becomes, which is removed where it does
/// not become it, also by a signal.
class PendingFile {
public:
  static Result<PendingFile> create(const std::string &path);
  PendingFile(PendingFile &&other);
  ~PendingFile();

  /// The open file, for reading and writing; -1 after `write`.
  int handle() const { return file; }

  /// Writes what will be the file, and closes it.
  Result<> write(llvm::function_ref<void(llvm::raw_ostream &)> write);
  /// Gives the file its name.
  Result<> finish();

private:
  PendingFile(std::string path, std::string name, int file)
      : path(std::move(path)), name(std::move(name)), file(file) {}

  std::string path;
  /// The name that it has meanwhile; empty when it has its own.
  std::string name;
  int file = -1;
};

} // namespace npu

#endif // NPU_ARTEFACT_PENDINGFILE_H
