// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception

#include "PendingOutput.h"

#include "npu/Support/InputFiles.h"

#include "llvm/ADT/SmallString.h"
#include "llvm/Support/FileSystem.h"
#include "llvm/Support/Process.h"

#include <fmt/format.h>

namespace fs = llvm::sys::fs;

namespace npu {

/// Whether standard output or standard error goes to this file already.
static bool isOpenStream(const fs::file_status &status) {
  for (int stream : {1, 2}) {
    fs::file_status open;
    if (!fs::status(stream, open) && open.getUniqueID() == status.getUniqueID())
      return true;
  }
  return false;
}

PendingOutput::PendingOutput(std::string file)
    : path(std::move(file)), temporary(path) {
  fs::file_status status;
  llvm::SmallString<128> real;
  if (path == "-" || fs::status(path, status) || !fs::is_regular_file(status) ||
      isOpenStream(status) || fs::real_path(path, real))
    return;
  // A link stays one: what it leads to is replaced.
  path = real.str().str();
  std::string beside =
      fmt::format("{}.{:08x}.tmp", path, llvm::sys::Process::GetRandomNumber());
  int handle = -1;
  // Where the folder takes no new file, the old one is written to, as if it
  // were the first time.
  if (fs::openFileForWrite(beside, handle, fs::CD_CreateNew, fs::OF_None,
                           status.permissions()))
    return;
  fs::file_t native = fs::convertFDToNativeFile(handle);
  (void)fs::closeFile(native);
  temporary = beside;
}

PendingOutput::~PendingOutput() {
  if (temporary != path)
    (void)fs::remove(temporary);
}

Result<> PendingOutput::keep() {
  if (temporary == path)
    return Success();
  if (Result<> error = checkOutput("-o", path); !error)
    return error;
  if (std::error_code error = fs::rename(temporary, path))
    return Error{fmt::format("-o: {}: {}", path, error.message())};
  temporary = path;
  return Success();
}

} // namespace npu
