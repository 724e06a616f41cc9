// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// Whole files: read at once, and written so that nobody sees a part of one.

#include "npu/Artefact/Artefact.h"

#include "llvm/ADT/ScopeExit.h"
#include "llvm/Support/FileSystem.h"

#include <fmt/format.h>

namespace fs = llvm::sys::fs;

namespace npu {

Result<std::shared_ptr<llvm::MemoryBuffer>> readFile(const std::string &path) {
  if (fs::is_directory(path))
    return Error{path + ": expected a file, got a directory"};
  // Volatile: read into memory, and not mapped, because another process may
  // write to the file or cut it off.
  auto buffer = llvm::MemoryBuffer::getFile(path, /*IsText=*/false,
                                            /*RequiresNullTerminator=*/false,
                                            /*IsVolatile=*/true);
  if (!buffer)
    return Error{path + ": " + buffer.getError().message()};
  return std::shared_ptr<llvm::MemoryBuffer>(std::move(*buffer));
}

/// Writes to an open file. The stream's error is taken off it, because a stream
/// that still has one ends the process.
static Check writeTo(llvm::raw_fd_ostream &out, const std::string &path,
                     llvm::function_ref<void(llvm::raw_ostream &)> write) {
  write(out);
  out.flush();
  if (!out.has_error())
    return {};
  std::string message = out.error().message();
  out.clear_error();
  return Error{fmt::format("{}: {}", path, message)};
}

static Check
writeDirectly(const std::string &path,
              llvm::function_ref<void(llvm::raw_ostream &)> write) {
  std::error_code error;
  llvm::raw_fd_ostream out(path, error);
  if (error)
    return Error{path + ": " + error.message()};
  return writeTo(out, path, write);
}

Check writeFileAtomically(
    const std::string &path,
    llvm::function_ref<void(llvm::raw_ostream &out)> write) {
  fs::file_status status;
  if (path == "-" ||
      (!fs::status(path, status) && !fs::is_regular_file(status)))
    return writeDirectly(path, write);
  auto temporary = fs::TempFile::create(path + ".%%%%%%%%.tmp",
                                        fs::all_read | fs::owner_write);
  if (!temporary)
    return Error{path + ": " + llvm::toString(temporary.takeError())};
  auto discard =
      llvm::scope_exit([&] { llvm::consumeError(temporary->discard()); });
  {
    llvm::raw_fd_ostream out(temporary->FD, /*shouldClose=*/false);
    if (Check error = writeTo(out, path, write))
      return error;
  }
  discard.release();
  if (llvm::Error error = temporary->keep(path)) {
    std::string message = llvm::toString(std::move(error));
    llvm::consumeError(temporary->discard());
    return Error{path + ": " + message};
  }
  return {};
}

} // namespace npu
