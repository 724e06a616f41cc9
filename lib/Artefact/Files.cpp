// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// Whole files: read at once, and written so that nobody sees a part of one.

#include "npu/Artefact/Artefact.h"
#include "npu/Artefact/PendingFile.h"
#include "npu/Support/InputFiles.h"

#include "llvm/ADT/SmallString.h"
#include "llvm/Support/FileSystem.h"
#include "llvm/Support/Path.h"
#include "llvm/Support/Process.h"
#include "llvm/Support/Signals.h"

#include <fmt/format.h>

namespace fs = llvm::sys::fs;

namespace npu {

Result<std::shared_ptr<llvm::MemoryBuffer>> readFile(const std::string &path) {
  fs::file_status status;
  if (std::error_code error = fs::status(path, status))
    return Error{path + ": " + error.message()};
  // Others may never end.
  if (!fs::is_regular_file(status))
    return Error{path + (fs::is_directory(status)
                             ? ": expected a file, got a directory"
                             : ": expected a file, got a device or a pipe")};
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
static Result<> writeTo(llvm::raw_fd_ostream &out, const std::string &path,
                        llvm::function_ref<void(llvm::raw_ostream &)> write) {
  write(out);
  out.flush();
  if (!out.has_error())
    return Success();
  std::string message = out.error().message();
  out.clear_error();
  return Error{fmt::format("{}: {}", path, message)};
}

static Result<>
writeDirectly(const std::string &path,
              llvm::function_ref<void(llvm::raw_ostream &)> write) {
  std::error_code error;
  llvm::raw_fd_ostream out(path, error);
  if (error)
    return Error{path + ": " + error.message()};
  return writeTo(out, path, write);
}

// LLVM's TempFile is not used, because it takes every '%' in the names of
// folders for a place of a random letter.
Result<PendingFile> PendingFile::create(const std::string &path) {
  // Its name begins as that of the file, so that what a killed process has left
  // is known to a cache, and is short, whatever that is.
  constexpr size_t kept = 24;
  constexpr int tries = 100;
  llvm::StringRef name = llvm::sys::path::filename(path);
  std::error_code error;
  for (int i = 0; i < tries; ++i) {
    llvm::SmallString<128> full = llvm::sys::path::parent_path(path);
    llvm::sys::path::append(
        full, fmt::format("{}.{:08x}.tmp", name.take_front(kept).str(),
                          llvm::sys::Process::GetRandomNumber()));
    int file = -1;
    error = fs::openFileForReadWrite(full, file, fs::CD_CreateNew, fs::OF_None,
                                     fs::all_read | fs::owner_write);
    if (!error) {
      llvm::sys::RemoveFileOnSignal(full);
      return PendingFile(path, full.str().str(), file);
    }
    if (error != std::errc::file_exists)
      break;
  }
  return Error{path + ": " + error.message()};
}

PendingFile::PendingFile(PendingFile &&other)
    : path(std::move(other.path)), name(std::exchange(other.name, "")),
      file(std::exchange(other.file, -1)) {}

PendingFile::~PendingFile() {
  if (file >= 0)
    (void)llvm::sys::Process::SafelyCloseFileDescriptor(file);
  if (name.empty())
    return;
  (void)fs::remove(name);
  llvm::sys::DontRemoveFileOnSignal(name);
}

Result<>
PendingFile::write(llvm::function_ref<void(llvm::raw_ostream &)> write) {
  llvm::raw_fd_ostream out(std::exchange(file, -1), /*shouldClose=*/true);
  if (Result<> error = writeTo(out, path, write); !error)
    return error;
  out.close();
  if (out.has_error()) {
    std::string message = out.error().message();
    out.clear_error();
    return Error{path + ": " + message};
  }
  return Success();
}

Result<> PendingFile::finish() {
  if (std::error_code error = fs::rename(name, path))
    return Error{path + ": " + error.message()};
  llvm::sys::DontRemoveFileOnSignal(name);
  name.clear();
  return Success();
}

bool becomesFile(const std::string &path) {
  fs::file_status status;
  return path != "-" &&
         (fs::status(path, status) || fs::is_regular_file(status));
}

Result<> writeFilesAtomically(const std::vector<FileToWrite> &files) {
  std::vector<std::shared_ptr<PendingFile>> written;
  for (const auto &[path, write, pending] : files) {
    if (pending) {
      written.push_back(pending);
      continue;
    }
    if (Result<> error = checkOutput("", path); !error)
      return error;
    if (!becomesFile(path)) {
      if (Result<> error = writeDirectly(path, write); !error)
        return error;
      continue;
    }
    Result<PendingFile> file = PendingFile::create(path);
    if (!file)
      return file.error();
    if (Result<> error = file->write(write); !error)
      return error;
    written.push_back(std::make_shared<PendingFile>(std::move(*file)));
  }
  for (const std::shared_ptr<PendingFile> &file : written)
    if (Result<> error = file->finish(); !error)
      return error;
  return Success();
}

Result<>
writeFileAtomically(const std::string &path,
                    llvm::function_ref<void(llvm::raw_ostream &out)> write) {
  return writeFilesAtomically({{path, write, nullptr}});
}

} // namespace npu
