// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// Artefacts that were compiled before, one file for each key in a directory
// that several processes use at the same time. A file is never read in part:
// it is written under another name first, and every byte of it is checked when
// it is read.

#ifndef NPU_COMPILATION_COMPILATIONCACHE_H
#define NPU_COMPILATION_COMPILATIONCACHE_H

#include "npu/Artefact/Artefact.h"

#include "llvm/Support/LockFileManager.h"

#include <functional>
#include <memory>
#include <string>

namespace npu {

/// The right to compile what a key stands for, while others wait. It ends with
/// the object, or with the process.
using CompilationLock = std::unique_ptr<llvm::LockFileManager>;

class CompilationCache {
public:
  /// Gets warnings: an entry that is damaged, a directory that cannot be
  /// written to. None of them keeps a compilation from its result.
  using Warn = std::function<void(const std::string &message)>;

  /// Makes the directory where there is none; an error where that is not
  /// possible.
  static Result<CompilationCache> open(std::string directory, Warn warn);

  /// The entry of a key. One that is damaged, or that is another key's, is
  /// removed with a warning.
  std::optional<Artefact> find(const std::string &key) const;

  /// Waits until no other process compiles this key, at most `seconds`, and
  /// takes the lock; null where there is none to be had.
  CompilationLock lock(const std::string &key, unsigned seconds = 600) const;

  /// Keeps an artefact, whose header has the key; a warning where that is not
  /// possible.
  void store(const Artefact &artefact) const;

  /// Removes the entries that were used least recently, until all of them take
  /// at most so many bytes.
  void prune(uint64_t mostBytes) const;

  /// The file of a key.
  std::string pathOf(const std::string &key) const;

private:
  CompilationCache(std::string directory, Warn warn);

  std::string directory;
  Warn warn;
};

} // namespace npu

#endif // NPU_COMPILATION_COMPILATIONCACHE_H
