// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception

#include "npu/Compilation/CompilationCache.h"

#include "llvm/Support/CachePruning.h"
#include "llvm/Support/FileSystem.h"
#include "llvm/Support/Path.h"

#include <fmt/format.h>

namespace fs = llvm::sys::fs;

namespace npu {

/// LLVM's pruning looks at no other files.
constexpr llvm::StringLiteral kPrefix = "llvmcache-npu-";

CompilationCache::CompilationCache(std::string directory, Warn warn)
    : directory(std::move(directory)), warn(std::move(warn)) {}

Result<CompilationCache> CompilationCache::open(std::string directory,
                                                Warn warn) {
  if (std::error_code error = fs::create_directories(directory))
    return Error{fmt::format("{}: {}", directory, error.message())};
  if (!fs::is_directory(directory))
    return Error{directory + ": expected a directory, got a file"};
  return CompilationCache(std::move(directory), std::move(warn));
}

std::string CompilationCache::pathOf(const std::string &key) const {
  llvm::SmallString<128> path(directory);
  llvm::sys::path::append(path, kPrefix + key);
  return path.str().str();
}

/// Notes that a file was used now, for pruning. Reading alone notes it rarely
/// on most file systems.
static void touch(const std::string &path) {
  int file = -1;
  if (fs::openFileForRead(path, file, fs::OF_UpdateAtime))
    return;
  fs::file_t handle = fs::convertFDToNativeFile(file);
  (void)fs::closeFile(handle);
}

std::optional<Artefact> CompilationCache::find(const std::string &key) const {
  std::string path = pathOf(key);
  if (!fs::exists(path))
    return std::nullopt;
  Result<Artefact> artefact = openArtefact(path);
  std::string why;
  if (!artefact)
    why = artefact.error();
  else if (!artefact->header.weights.file.empty())
    why = path + ": expected an entry with its weights inside";
  else if (artefact->header.key != key)
    why = fmt::format("{}: expected the entry of this key, got that of {}",
                      path, artefact->header.key);
  if (why.empty()) {
    touch(path);
    return std::move(*artefact);
  }
  warn(fmt::format("cache entry rejected, the model is compiled again: {}",
                   why));
  (void)fs::remove(path);
  return std::nullopt;
}

CompilationLock CompilationCache::lock(const std::string &key,
                                       unsigned seconds) const {
  std::string path = pathOf(key);
  // A process that has died gives its lock to whoever comes next, so that some
  // may have to try again.
  constexpr int tries = 100;
  for (int i = 0; i < tries; ++i) {
    auto lock = std::make_unique<llvm::LockFileManager>(path);
    llvm::Expected<bool> taken = lock->tryLock();
    if (!taken) {
      warn("cache: no lock, another process may compile the same model: " +
           llvm::toString(taken.takeError()));
      return nullptr;
    }
    if (*taken)
      return lock;
    switch (lock->waitForUnlockFor(std::chrono::seconds(seconds))) {
    case llvm::WaitForUnlockResult::Success:
      // What was waited for is there, or its compilation has failed.
      if (fs::exists(path))
        return nullptr;
      continue;
    case llvm::WaitForUnlockResult::OwnerDied:
      continue;
    case llvm::WaitForUnlockResult::Timeout:
      warn(fmt::format("cache: another process has compiled this model for {} "
                       "s; it is compiled here as well",
                       seconds));
      return nullptr;
    }
  }
  return nullptr;
}

void CompilationCache::store(const Artefact &artefact) const {
  Check error = writeFileAtomically(
      pathOf(artefact.header.key),
      [&](llvm::raw_ostream &out) { writeArtefact(artefact, out); });
  if (error)
    warn("cache: not stored: " + error->message);
}

void CompilationCache::prune(uint64_t mostBytes) const {
  llvm::CachePruningPolicy policy;
  policy.Interval = std::chrono::seconds(0);
  policy.Expiration = std::chrono::seconds(0);
  policy.MaxSizePercentageOfAvailableSpace = 100;
  policy.MaxSizeBytes = mostBytes;
  policy.MaxSizeFiles = 0;
  llvm::pruneCache(directory, policy);
}

} // namespace npu
