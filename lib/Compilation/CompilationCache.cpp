// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception

#include "npu/Compilation/CompilationCache.h"

#include "llvm/Support/CachePruning.h"
#include "llvm/Support/Errno.h"
#include "llvm/Support/FileSystem.h"
#include "llvm/Support/Path.h"

#include <chrono>
#include <filesystem>
#include <thread>

#include <fcntl.h>
#include <fmt/format.h>
#include <sys/file.h>
#include <unistd.h>

namespace fs = llvm::sys::fs;

namespace npu {

/// LLVM's pruning looks at no other files.
constexpr llvm::StringLiteral kPrefix = "llvmcache-npu-";

namespace {

/// Nothing wrong where only this user may have written what has this status.
Result<> checkTrust(const std::string &path, const fs::file_status &status) {
  const char *what = fs::is_directory(status) ? "directory" : "file";
  if (status.getUser() != geteuid())
    return Error{fmt::format(
        "{}: expected a {} of this user, whose number is {}, got one of user "
        "{}: entries are code that runs with the rights of this user; "
        "--trust-cache takes it",
        path, what, geteuid(), status.getUser())};
  fs::perms others = fs::perms::group_write | fs::perms::others_write;
  if ((status.permissions() & others) == fs::no_perms)
    return Success();
  return Error{fmt::format(
      "{}: expected a {} to which this user alone may write, got mode {:04o}: "
      "entries are code that runs with the rights of this user; chmod go-w "
      "keeps others out, --trust-cache takes it",
      path, what, static_cast<unsigned>(status.permissions()))};
}

/// Nothing wrong where what has this status can be read to its end.
Result<> checkRegular(const std::string &path, const fs::file_status &status) {
  if (fs::is_regular_file(status))
    return Success();
  const char *what = fs::is_directory(status)      ? "a directory"
                     : fs::is_symlink_file(status) ? "a symbolic link"
                                                   : "a device or a pipe";
  return Error{fmt::format("{}: expected a file, got {}", path, what)};
}

/// Removes whatever has this name, a directory only where it is empty.
bool removeAnything(const std::string &path) {
  std::error_code error;
  return std::filesystem::remove(path, error) && !error;
}

} // namespace

CompilationCache::CompilationCache(std::string directory, Warn warn,
                                   CacheTrust trust)
    : directory(std::move(directory)), warn(std::move(warn)), trust(trust) {}

Result<CompilationCache> CompilationCache::open(std::string directory,
                                                Warn warn, CacheTrust trust) {
  if (std::error_code error = fs::create_directories(
          directory, /*IgnoreExisting=*/true, fs::owner_all))
    return Error{fmt::format("{}: {}", directory, error.message())};
  fs::file_status status;
  if (std::error_code error = fs::status(directory, status))
    return Error{fmt::format("{}: {}", directory, error.message())};
  if (!fs::is_directory(status))
    return Error{directory + ": expected a directory, got a file"};
  if (trust == CacheTrust::OwnUser)
    if (Result<> error = checkTrust(directory, status); !error)
      return error.error();
  return CompilationCache(std::move(directory), std::move(warn), trust);
}

bool CompilationCache::isEntryOf(const std::string &directory,
                                 const std::string &path) {
  llvm::StringRef folder = llvm::sys::path::parent_path(path);
  bool isSame = false;
  return llvm::sys::path::filename(path).starts_with("llvmcache-") &&
         !fs::equivalent(folder.empty() ? "." : folder, directory, isSame) &&
         isSame;
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

/// The entry of a key, whose file is there.
Result<Artefact> CompilationCache::readEntry(const std::string &key) const {
  std::string path = pathOf(key);
  fs::file_status status;
  if (std::error_code error = fs::status(path, status, /*follow=*/false))
    return Error{fmt::format("{}: {}", path, error.message())};
  if (Result<> error = checkRegular(path, status); !error)
    return error.error();
  if (trust == CacheTrust::OwnUser)
    if (Result<> error = checkTrust(path, status); !error)
      return error.error();
  Result<Artefact> artefact = readArtefactFile(path);
  if (!artefact)
    return artefact;
  if (!artefact->header.weights.file.empty())
    return Error{path + ": expected an entry with its weights inside"};
  if (artefact->header.key != key)
    return Error{fmt::format("{}: expected the entry of this key, got that of "
                             "{}",
                             path, artefact->header.key)};
  return artefact;
}

std::optional<Artefact> CompilationCache::find(const std::string &key) const {
  std::string path = pathOf(key);
  fs::file_status status;
  if (fs::status(path, status, /*follow=*/false) ==
      std::errc::no_such_file_or_directory)
    return std::nullopt;
  Result<Artefact> artefact = readEntry(key);
  if (artefact) {
    touch(path);
    return std::move(*artefact);
  }
  warn("cache entry rejected, the model is compiled again: " +
       artefact.error().message);
  removeAnything(path);
  return std::nullopt;
}

CompilationLock &CompilationLock::operator=(CompilationLock &&other) {
  release();
  file = std::exchange(other.file, -1);
  path = std::move(other.path);
  return *this;
}

void CompilationLock::release() {
  if (file < 0)
    return;
  // While it is locked: whoever waits for this file looks for a new one then.
  (void)::unlink(path.c_str());
  (void)::close(std::exchange(file, -1));
}

namespace {

/// A file that is open, to be locked.
class LockFile {
public:
  explicit LockFile(std::string path) : path(std::move(path)) {}
  ~LockFile() { close(); }

  /// Opens the lock file, which is created where there is none. Whatever has
  /// its name and is no regular file cannot be locked: it is removed first, and
  /// an error where that is impossible.
  Result<> open() {
    fs::file_status status;
    if (!fs::status(path, status, /*follow=*/false))
      if (Result<> error = checkRegular(path, status); !error)
        if (!removeAnything(path))
          return error;
    file = ::open(path.c_str(),
                  O_RDWR | O_CREAT | O_CLOEXEC | O_NOFOLLOW | O_NONBLOCK,
                  S_IRUSR | S_IWUSR);
    if (file < 0)
      return Error{path + ": " + llvm::sys::StrError()};
    return Success();
  }

  /// Whether the lock was free; an error where there are no locks.
  Result<bool> tryLock() {
    if (::flock(file, LOCK_EX | LOCK_NB) == 0)
      return true;
    if (errno == EWOULDBLOCK || errno == EINTR)
      return false;
    return Error{path + ": " + llvm::sys::StrError()};
  }

  /// Whether the file still has its name: who gives a lock back removes it.
  bool isCurrent() const {
    fs::file_status own, named;
    return !fs::status(file, own) && !fs::status(path, named) &&
           own.getUniqueID() == named.getUniqueID();
  }

  /// The number of the process that has, or had, the lock; 0: nobody.
  int64_t process() const {
    char text[32] = {};
    int64_t number = 0;
    if (::pread(file, text, sizeof(text) - 1, 0) <= 0 ||
        llvm::StringRef(text).trim().getAsInteger(10, number))
      return 0;
    return number;
  }

  /// Writes who has the lock, for those that wait. That it could not be
  /// written changes nothing but what they say.
  CompilationLock take() {
    std::string text = fmt::format("{}\n", ::getpid());
    bool isWritten = ::ftruncate(file, 0) == 0 &&
                     ::pwrite(file, text.data(), text.size(), 0) > 0;
    (void)isWritten;
    return CompilationLock(std::exchange(file, -1), path);
  }

  void close() {
    if (file >= 0)
      (void)::close(std::exchange(file, -1));
  }

private:
  std::string path;
  int file = -1;
};

std::string nameOfProcess(int64_t number) {
  return number == 0 ? "another process" : fmt::format("process {}", number);
}

} // namespace

CompilationLock CompilationCache::lock(const std::string &key,
                                       unsigned seconds) const {
  using Clock = std::chrono::steady_clock;
  auto end = Clock::now() + std::chrono::seconds(seconds);
  constexpr auto pause = std::chrono::milliseconds(20);
  LockFile file(pathOf(key) + ".lock");
  bool isSaid = false;
  for (;; file.close()) {
    Result<> opened = file.open();
    Result<bool> locked =
        opened ? file.tryLock() : Result<bool>(opened.error());
    if (!locked) {
      warn("cache: no lock, another process may compile the same model: " +
           locked.error().message);
      return {};
    }
    if (*locked && !file.isCurrent())
      continue;
    int64_t process = file.process();
    if (*locked) {
      if (process != 0)
        warn(fmt::format("cache: the lock of {} is taken over, which has ended "
                         "without giving it back",
                         nameOfProcess(process)));
      return file.take();
    }
    if (!isSaid)
      warn(fmt::format("cache: {} compiles the same model, and is waited for "
                       "at most {} s",
                       nameOfProcess(process), seconds));
    isSaid = true;
    if (Clock::now() >= end) {
      warn(fmt::format("cache: {} has compiled this model for {} s; it is "
                       "compiled here as well",
                       nameOfProcess(process), seconds));
      return {};
    }
    std::this_thread::sleep_for(pause);
  }
}

void CompilationCache::store(const Artefact &artefact) const {
  std::string path = pathOf(artefact.header.key);
  fs::file_status status;
  Result<> stored = Success();
  // What is no file would be written to where it is, and a pipe never ends.
  if (!fs::status(path, status, /*follow=*/false))
    stored = checkRegular(path, status);
  if (stored)
    stored = writeFileAtomically(
        path, [&](llvm::raw_ostream &out) { writeArtefact(artefact, out); });
  if (!stored)
    warn("cache: not stored: " + stored.error().message);
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
