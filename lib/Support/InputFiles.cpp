// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception

#include "npu/Support/InputFiles.h"

#include "npu/Support/BundleNotes.h"

#include "llvm/ADT/SmallString.h"
#include "llvm/Support/FileSystem.h"
#include "llvm/Support/Path.h"

#include <fmt/format.h>

#include <map>
#include <mutex>
#include <optional>

namespace fs = llvm::sys::fs;

namespace npu {
namespace {

/// The status of a file, which is standard input for "-".
bool statusOf(const std::string &path, fs::file_status &status) {
  constexpr int standardInput = 0;
  std::error_code error = path == "-" ? fs::status(standardInput, status)
                                      : fs::status(path, status);
  return !error && fs::is_regular_file(status);
}

/// What was noted, by what each file is. A file that was removed since is none
/// any more, although a new file may be given its number.
struct Inputs {
  std::mutex mutex;
  std::multimap<fs::UniqueID, NamedFile> files;

  /// What the user calls the input of this number; nothing where none is.
  std::optional<std::string> find(fs::UniqueID id) {
    std::lock_guard<std::mutex> guard(mutex);
    auto [begin, end] = files.equal_range(id);
    for (auto at = begin; at != end; ++at) {
      fs::file_status now;
      if (statusOf(at->second.path, now) && now.getUniqueID() == id)
        return at->second.name;
    }
    return std::nullopt;
  }
};

Inputs &inputs() {
  static Inputs noted;
  return noted;
}

/// What this process writes to, in the order in which it was noted.
struct Outputs {
  std::mutex mutex;
  std::vector<NamedFile> files;
};

Outputs &outputs() {
  static Outputs noted;
  return noted;
}

/// Whether two paths are one file, which need not be there yet.
bool isSameFile(const std::string &a, const std::string &b) {
  if (a.empty() || b.empty())
    return false;
  if (a == "-" || b == "-")
    return a == b;
  bool same = false;
  if (!fs::equivalent(a, b, same) && same)
    return true;
  llvm::SmallString<128> absolute[] = {llvm::StringRef(a), llvm::StringRef(b)};
  for (auto &path : absolute) {
    (void)fs::make_absolute(path);
    llvm::sys::path::remove_dots(path, /*remove_dot_dot=*/true);
    // Folders may be links.
    llvm::SmallString<128> folder;
    if (!fs::real_path(llvm::sys::path::parent_path(path), folder)) {
      llvm::sys::path::append(folder, llvm::sys::path::filename(path));
      path = folder;
    }
  }
  return absolute[0] == absolute[1];
}

Error isAlready(const std::string &option, const std::string &name,
                const std::string &path) {
  return Error{fmt::format("{}{}expected another file than {}, got '{}'",
                           option, option.empty() ? "" : ": ", name, path)};
}

/// Whether something is there that is no file, as /dev/null, which several may
/// write to.
bool isDevice(const std::string &path) {
  fs::file_status status;
  return path != "-" && !fs::status(path, status) &&
         !fs::is_regular_file(status) && !fs::is_directory(status);
}

} // namespace

void noteInput(const std::string &name, const std::string &path) {
  noteForBundle("in", path);
  fs::file_status status;
  if (path.empty() || !statusOf(path, status) ||
      inputs().find(status.getUniqueID()))
    return;
  llvm::SmallString<128> absolute(path);
  if (path != "-")
    (void)fs::make_absolute(absolute);
  std::lock_guard<std::mutex> guard(inputs().mutex);
  inputs().files.emplace(status.getUniqueID(),
                         NamedFile{name, absolute.str().str()});
}

Result<> checkOutput(const std::string &option, const std::string &path) {
  noteForBundle("out", path);
  fs::file_status status;
  if (path.empty() || path == "-" || !statusOf(path, status))
    return Success();
  std::optional<std::string> name = inputs().find(status.getUniqueID());
  if (!name)
    return Success();
  return isAlready(option, *name, path);
}

Result<> checkOutputs(const std::vector<NamedFile> &files) {
  std::lock_guard<std::mutex> guard(outputs().mutex);
  std::vector<NamedFile> &before = outputs().files;
  const size_t ofOtherCalls = before.size();
  for (const auto &[option, path] : files) {
    if (path.empty() || isDevice(path))
      continue;
    if (Result<> error = checkOutput(option, path); !error)
      return error;
    for (size_t i = 0; i < before.size(); ++i) {
      const auto &[name, other] = before[i];
      // One option writes its file again for each part of an input that is
      // split, and any number of reports may go to standard output.
      bool mayShare = i < ofOtherCalls && (name == option || path == "-");
      if (!mayShare && isSameFile(path, other))
        return isAlready(option, "that of " + name, path);
    }
    before.push_back({option, path});
  }
  return Success();
}

} // namespace npu
