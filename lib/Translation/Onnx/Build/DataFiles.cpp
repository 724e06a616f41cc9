// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception

#include "DataFiles.h"

#include "npu/Support/InputFiles.h"

#include "llvm/ADT/STLExtras.h"
#include "llvm/ADT/SmallString.h"
#include "llvm/Support/FileSystem.h"
#include "llvm/Support/Path.h"

using llvm::SmallString;
using llvm::StringRef;

namespace npu {

/// Whether a file lies in a folder, wherever links lead on the way to either.
static bool liesIn(StringRef path, StringRef folder) {
  SmallString<128> realPath, realFolder;
  if (llvm::sys::fs::real_path(path, realPath) ||
      llvm::sys::fs::real_path(folder.empty() ? "." : folder, realFolder))
    return false;
  StringRef rest = realPath;
  return rest.consume_front(realFolder) &&
         (realFolder.ends_with("/") || rest.starts_with("/"));
}

Result<std::shared_ptr<const llvm::MemoryBuffer>>
DataFiles::open(const std::string &location) {
  if (auto found = files.find(location); found != files.end())
    return found->second;
  // A model is somebody else's file; it may only read what lies beside it.
  bool outside =
      llvm::sys::path::is_absolute(location) ||
      llvm::is_contained(llvm::make_range(llvm::sys::path::begin(location),
                                          llvm::sys::path::end(location)),
                         StringRef(".."));
  if (location.empty() || outside)
    return Error{"its data is in the file '" + location +
                 "', expected one in the model's folder"};
  SmallString<128> path(directory);
  llvm::sys::path::append(path, location);
  noteInput("the file of data '" + location + "'", path.str().str());
  // A link leads elsewhere as '..' does.
  if (llvm::sys::fs::exists(path) && !liesIn(path, directory))
    return Error{
        "its data is in the file '" + location +
        "', expected one in the model's folder, got a link that leads out "
        "of it"};
  if (llvm::sys::fs::exists(path) && !llvm::sys::fs::is_regular_file(path))
    return Error{"its data is in '" + path.str().str() +
                 "', expected a file, got a directory, a device or a pipe"};
  auto buffer = llvm::MemoryBuffer::getFile(path, /*IsText=*/false,
                                            /*RequiresNullTerminator=*/false);
  if (!buffer)
    return Error{"cannot read '" + path.str().str() +
                 "': " + buffer.getError().message()};
  return files[location] = std::move(*buffer);
}

Result<MappedBytes> DataFiles::part(const std::string &location,
                                    uint64_t offset, uint64_t length) {
  auto file = open(location);
  if (!file)
    return file.error();
  StringRef bytes = (*file)->getBuffer();
  if (offset > bytes.size() || length > bytes.size() - offset)
    return Error{"cannot read " + std::to_string(length) + " bytes at " +
                 std::to_string(offset) + " of '" +
                 (*file)->getBufferIdentifier().str() + "', which has " +
                 std::to_string(bytes.size())};
  bytes = bytes.substr(offset, length);
  return MappedBytes{{bytes.data(), bytes.size()}, *file};
}

} // namespace npu
