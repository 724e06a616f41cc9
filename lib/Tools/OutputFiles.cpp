// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception

#include "OutputFiles.h"

#include "llvm/ADT/SmallString.h"
#include "llvm/Support/FileSystem.h"
#include "llvm/Support/Path.h"

#include <fmt/format.h>

namespace npu {

/// Whether two paths are one file, which need not be there yet.
static bool isSameFile(const std::string &a, const std::string &b) {
  if (a.empty() || b.empty())
    return false;
  if (a == "-" || b == "-")
    return a == b;
  bool same = false;
  if (!llvm::sys::fs::equivalent(a, b, same) && same)
    return true;
  llvm::SmallString<128> absolute[] = {llvm::StringRef(a), llvm::StringRef(b)};
  for (auto &path : absolute) {
    (void)llvm::sys::fs::make_absolute(path);
    llvm::sys::path::remove_dots(path, /*remove_dot_dot=*/true);
    // Folders may be links.
    llvm::SmallString<128> folder;
    if (!llvm::sys::fs::real_path(llvm::sys::path::parent_path(path), folder)) {
      llvm::sys::path::append(folder, llvm::sys::path::filename(path));
      path = folder;
    }
  }
  return absolute[0] == absolute[1];
}

std::string checkOutputs(std::vector<NamedFile> inputs,
                         const std::vector<NamedFile> &outputs) {
  for (const auto &[option, path] : outputs) {
    // What may be written to by several, as /dev/null, is no file of theirs.
    llvm::sys::fs::file_status status;
    bool isDevice = path != "-" && !llvm::sys::fs::status(path, status) &&
                    !llvm::sys::fs::is_regular_file(status);
    if (isDevice)
      continue;
    for (const auto &[name, other] : inputs)
      if (isSameFile(path, other))
        return fmt::format("{}: expected another file than {}, got '{}'",
                           option, name, path);
    inputs.push_back({"that of " + option, path});
  }
  return "";
}

} // namespace npu
