// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// Artefacts that were compiled before, one file for each key in a directory
// that several processes use at the same time. A file is never read in part:
// it is written under another name first, and every byte of it is checked when
// it is read. An entry is code that runs with the rights of this user, so that
// only what this user has written counts as one.

#ifndef NPU_COMPILATION_COMPILATIONCACHE_H
#define NPU_COMPILATION_COMPILATIONCACHE_H

#include "npu/Artefact/Artefact.h"

#include <functional>
#include <string>
#include <utility>

namespace npu {

/// The right to compile what a key stands for, while others wait. It ends with
/// the object, or with the process, however that ends: the system keeps it for
/// an open file (flock), and not under the number of a process, which another
/// process may have later.
class CompilationLock {
public:
  CompilationLock() = default;
  /// Takes over an open file that is locked.
  CompilationLock(int file, std::string path)
      : file(file), path(std::move(path)) {}
  CompilationLock(CompilationLock &&other)
      : file(std::exchange(other.file, -1)), path(std::move(other.path)) {}
  CompilationLock &operator=(CompilationLock &&other);
  ~CompilationLock() { release(); }

  /// Removes the file and lets others have the lock.
  void release();

  explicit operator bool() const { return file >= 0; }

private:
  int file = -1;
  std::string path;
};

/// Whose entries a cache takes.
enum class CacheTrust {
  /// Only those of this user, in a directory of this user, where nobody else
  /// may write.
  OwnUser,
  /// Whatever stands there: whoever may write to the directory decides which
  /// code runs.
  Anybody,
};

class CompilationCache {
public:
  /// Gets warnings: an entry that is damaged or somebody else's, a directory
  /// that cannot be written to, another process that has to be waited for. None
  /// of them keeps a compilation from its result.
  using Warn = std::function<void(const std::string &message)>;

  /// Makes the directory where there is none, for this user alone (0700). An
  /// error where that is not possible, or where `trust` has something against
  /// the directory that is there.
  static Result<CompilationCache> open(std::string directory, Warn warn,
                                       CacheTrust trust = CacheTrust::OwnUser);

  /// The entry of a key. One that is damaged, that is another key's, that is
  /// somebody else's, or that is no file is removed with a warning.
  std::optional<Artefact> find(const std::string &key) const;

  /// Takes the lock of a key. Where another process has it, that process is
  /// named at once, and waited for at most `seconds`. None where there is none
  /// to be had.
  CompilationLock lock(const std::string &key, unsigned seconds = 600) const;

  /// Keeps an artefact, whose header has the key; a warning where that is not
  /// possible.
  void store(const Artefact &artefact) const;

  /// Removes the entries that were used least recently, until all of them take
  /// at most so many bytes.
  void prune(uint64_t mostBytes) const;

  /// Whether a file lies in a cache under a name that pruning takes for one of
  /// its own.
  static bool isEntryOf(const std::string &directory, const std::string &path);

  /// The file of a key.
  std::string pathOf(const std::string &key) const;

private:
  CompilationCache(std::string directory, Warn warn, CacheTrust trust);
  Result<Artefact> readEntry(const std::string &key) const;

  std::string directory;
  Warn warn;
  CacheTrust trust;
};

} // namespace npu

#endif // NPU_COMPILATION_COMPILATIONCACHE_H
