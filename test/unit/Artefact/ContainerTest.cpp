// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// Containers are read back as they were written, and never when a byte of them
// is missing or wrong.

#include "SmallArtefact.h"

#include "llvm/Support/Endian.h"

#include <gtest/gtest.h>

using namespace npu;

namespace {

std::string write(llvm::json::Object description,
                  llvm::ArrayRef<Section> sections) {
  std::string bytes;
  llvm::raw_string_ostream os(bytes);
  writeContainer(std::move(description), sections, os);
  return bytes;
}

TEST(Sha256, KnownAnswers) {
  EXPECT_EQ(sha256(""),
            "e3b0c44298fc1c149afbf4c8996fb92427ae41e4649b934ca495991b7852b855");
  EXPECT_EQ(sha256("abc"),
            "ba7816bf8f01cfea414140de5dae2223b00361a396177a9cb410ff61f20015ad");
  Sha256Stream stream;
  stream << "a";
  EXPECT_EQ(stream.hash(), sha256("a"));
  stream << "bc";
  EXPECT_EQ(stream.hash(), sha256("abc"));
}

TEST(Container, SectionsComeBack) {
  for (size_t size : {0, 1, 63, 64, 65, 1000}) {
    std::string large(size, 'x');
    std::string bytes =
        write(llvm::json::Object{{"a", 1}}, {{"one", large}, {"two", "2"}});
    Result<Container> read = readContainer(bytes);
    ASSERT_TRUE(bool(read)) << read.error().message;
    EXPECT_EQ(read->find("one")->bytes, large);
    EXPECT_EQ(read->find("two")->bytes, "2");
    EXPECT_EQ(read->find("three"), nullptr);
    EXPECT_EQ(read->description.getInteger("a"), 1);
    for (const SectionEntry &entry : read->entries)
      EXPECT_EQ(entry.offset % sectionAlignment, 0u);
  }
}

TEST(Container, CutOffAnywhereIsRefused) {
  std::string bytes = bytesOf(smallArtefact());
  for (size_t size = 0; size < bytes.size(); ++size) {
    Result<Container> read =
        readContainer(llvm::StringRef(bytes).take_front(size));
    ASSERT_FALSE(bool(read)) << size;
    EXPECT_FALSE(read.error().message.empty());
  }
  EXPECT_TRUE(bool(readContainer(bytes)));
  EXPECT_FALSE(bool(readContainer(bytes + '\0')));
}

TEST(Container, EveryFlippedBitIsRefused) {
  std::string bytes = bytesOf(smallArtefact());
  for (size_t i = 0; i < bytes.size(); ++i)
    for (int bit = 0; bit < 8; ++bit) {
      std::string damaged = bytes;
      damaged[i] = static_cast<char>(damaged[i] ^ (1 << bit));
      ASSERT_FALSE(bool(readContainer(damaged))) << i << " " << bit;
    }
}

TEST(Container, OtherVersionsAreNamed) {
  std::string bytes = bytesOf(smallArtefact());
  llvm::support::endian::write32le(bytes.data() + 8, 7);
  EXPECT_EQ(readContainer(bytes).error().message,
            "expected format version 1, got 7");
}

TEST(Container, TwoSectionsOfOneNameAreRefused) {
  EXPECT_EQ(readContainer(write(llvm::json::Object(), {{"a", "1"}, {"a", "2"}}))
                .error()
                .message,
            "expected one section 'a', got two");
}

TEST(Json, DepthIsLimited) {
  std::string deep = "{\"a\":" + std::string(100000, '[');
  EXPECT_EQ(parseJsonObject(deep).error().message,
            "expected JSON of at most 64 levels");
  EXPECT_TRUE(bool(parseJsonObject("{\"[[[[\\\"[\": [[1]]}")));
  EXPECT_FALSE(bool(parseJsonObject("[]")));
  EXPECT_FALSE(bool(parseJsonObject("\"")));
}

} // namespace
