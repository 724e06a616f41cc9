// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// Entries that are damaged, or another key's, are rejected with a warning and
// removed; the least recently used go first.

#include "SmallArtefact.h"

#include "npu/Compilation/CompilationCache.h"

#include "llvm/Support/FileSystem.h"

#include <gtest/gtest.h>

#include <fstream>

#include <unistd.h>

using namespace npu;
namespace fs = llvm::sys::fs;

namespace {

class CacheTest : public testing::Test {
protected:
  void SetUp() override {
    ASSERT_FALSE(fs::createUniqueDirectory("npu-cache", path));
    auto opened = open(path.str().str());
    ASSERT_TRUE(bool(opened)) << opened.error().message;
    cache.emplace(std::move(*opened));
  }
  void TearDown() override { fs::remove_directories(path); }

  Result<CompilationCache> open(const std::string &directory,
                                CacheTrust trust = CacheTrust::OwnUser) {
    return CompilationCache::open(
        directory,
        [this](const std::string &text) { warnings.push_back(text); }, trust);
  }

  static Artefact artefactOf(char letter) {
    Artefact artefact = smallArtefact();
    artefact.header.key = std::string(64, letter);
    return artefact;
  }

  void damage(const std::string &file,
              const std::function<void(std::string &)> &change) {
    std::string bytes = (*readFile(file))->getBuffer().str();
    change(bytes);
    std::ofstream(file, std::ios::binary) << bytes;
  }

  llvm::SmallString<128> path;
  std::optional<CompilationCache> cache;
  std::vector<std::string> warnings;
};

TEST_F(CacheTest, FindsWhatWasStored) {
  Artefact artefact = artefactOf('c');
  EXPECT_FALSE(cache->find(artefact.header.key));
  cache->store(artefact);
  auto found = cache->find(artefact.header.key);
  ASSERT_TRUE(found);
  EXPECT_EQ(bytesOf(*found), bytesOf(artefact));
  EXPECT_TRUE(warnings.empty());
}

TEST_F(CacheTest, RejectsWhatIsDamaged) {
  Artefact artefact = artefactOf('c');
  std::string file = cache->pathOf(artefact.header.key);
  size_t size = bytesOf(artefact).size();
  for (size_t at = 0; at < size; at += 64) {
    cache->store(artefact);
    damage(file, [&](std::string &bytes) { bytes.resize(at); });
    EXPECT_FALSE(cache->find(artefact.header.key)) << at;
    EXPECT_FALSE(fs::exists(file));
    cache->store(artefact);
    damage(file, [&](std::string &bytes) { bytes[at] ^= 4; });
    EXPECT_FALSE(cache->find(artefact.header.key)) << at;
  }
  EXPECT_EQ(warnings.size(), 2 * ((size + 63) / 64));
  EXPECT_NE(warnings.front().find("cache entry rejected"), std::string::npos);
}

TEST_F(CacheTest, RejectsWhatIsForeign) {
  Artefact artefact = artefactOf('c');
  cache->store(artefact);
  fs::copy_file(cache->pathOf(artefact.header.key),
                cache->pathOf(std::string(64, 'd')));
  EXPECT_FALSE(cache->find(std::string(64, 'd')));
  ASSERT_EQ(warnings.size(), 1u);
  EXPECT_NE(warnings[0].find("expected the entry of this key"),
            std::string::npos);
  EXPECT_TRUE(cache->find(artefact.header.key));
}

TEST_F(CacheTest, WarnsWhereItCannotStore) {
  // /proc has no place for files, whoever asks.
  auto opened = open("/proc/self");
  ASSERT_TRUE(bool(opened));
  opened->store(artefactOf('c'));
  ASSERT_EQ(warnings.size(), 1u);
  EXPECT_NE(warnings[0].find("cache: not stored"), std::string::npos);
  EXPECT_FALSE(bool(open("/proc/no-such-folder")));
  std::ofstream((path + "/file").str()) << "text";
  EXPECT_FALSE(bool(open((path + "/file").str())));
}

TEST_F(CacheTest, PrunesTheLeastRecentlyUsed) {
  uint64_t size = bytesOf(artefactOf('a')).size();
  auto old = std::chrono::system_clock::now();
  for (char letter : {'a', 'b', 'c', 'd'}) {
    Artefact artefact = artefactOf(letter);
    cache->store(artefact);
    int file = -1;
    ASSERT_FALSE(fs::openFileForWrite(cache->pathOf(artefact.header.key), file,
                                      fs::CD_OpenExisting));
    auto time = old - std::chrono::hours('z' - letter);
    ASSERT_FALSE(fs::setLastAccessAndModificationTime(file, time, time));
    fs::file_t handle = fs::convertFDToNativeFile(file);
    fs::closeFile(handle);
  }
  // To be found is to be used.
  EXPECT_TRUE(cache->find(std::string(64, 'a')));
  cache->prune(2 * size + size / 2);
  EXPECT_TRUE(cache->find(std::string(64, 'a')));
  EXPECT_FALSE(cache->find(std::string(64, 'b')));
  EXPECT_FALSE(cache->find(std::string(64, 'c')));
  EXPECT_TRUE(cache->find(std::string(64, 'd')));
  EXPECT_TRUE(warnings.empty());
}

TEST_F(CacheTest, LocksAreTakenOnce) {
  std::string key(64, 'e');
  CompilationLock lock = cache->lock(key, 1);
  ASSERT_TRUE(lock);
  EXPECT_FALSE(cache->lock(key, 1));
  // At once, and at the end.
  ASSERT_EQ(warnings.size(), 2u);
  EXPECT_EQ(warnings[0], "cache: process " + std::to_string(getpid()) +
                             " compiles the same model, and is waited for at "
                             "most 1 s");
  lock.release();
  EXPECT_TRUE(cache->lock(key, 1));
}

TEST_F(CacheTest, LocksEndWithTheirProcessWhoeverHasItsNumberNow) {
  std::string key(64, 'e'), file = cache->pathOf(key) + ".lock";
  // A process with this number is alive, and has no lock.
  std::ofstream(file) << getpid() << "\n";
  CompilationLock lock = cache->lock(key, 1);
  EXPECT_TRUE(lock);
  ASSERT_EQ(warnings.size(), 1u);
  EXPECT_NE(warnings[0].find("is taken over"), std::string::npos);
  lock.release();
  EXPECT_FALSE(fs::exists(file));
}

TEST_F(CacheTest, RejectsWhatOthersMayHaveWritten) {
  Artefact artefact = artefactOf('c');
  std::string key = artefact.header.key, file = cache->pathOf(key);
  cache->store(artefact);
  fs::setPermissions(file, fs::all_read | fs::all_write);
  auto trusting = open(path.str().str(), CacheTrust::Anybody);
  ASSERT_TRUE(bool(trusting));
  EXPECT_TRUE(trusting->find(key));
  EXPECT_FALSE(cache->find(key));
  ASSERT_EQ(warnings.size(), 1u);
  EXPECT_NE(warnings[0].find("expected a file to which this user alone may "
                             "write, got mode 0666"),
            std::string::npos);
  fs::setPermissions(path, fs::all_all);
  EXPECT_FALSE(bool(open(path.str().str())));
  EXPECT_TRUE(bool(open(path.str().str(), CacheTrust::Anybody)));
  fs::setPermissions(path, fs::owner_all);
  if (geteuid() != 0)
    GTEST_SKIP() << "files of other users are for root to make";
  constexpr uid_t other = 12345;
  cache->store(artefact);
  ASSERT_EQ(chown(file.c_str(), other, other), 0);
  EXPECT_FALSE(cache->find(key));
  EXPECT_NE(warnings.back().find("got one of user 12345"), std::string::npos);
  ASSERT_EQ(chown(path.c_str(), other, other), 0);
  EXPECT_FALSE(bool(open(path.str().str())));
  EXPECT_TRUE(bool(open(path.str().str(), CacheTrust::Anybody)));
}

} // namespace
