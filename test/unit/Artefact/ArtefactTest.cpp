// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// Artefacts come back with all of their header; headers whose numbers make no
// sense and weights that are not theirs are refused.

#include "SmallArtefact.h"

#include "llvm/Support/FileSystem.h"
#include "llvm/Support/Path.h"

#include <gtest/gtest.h>

#include <fstream>
#include <functional>
#include <random>

using namespace npu;

namespace {

class Folder : public testing::Test {
protected:
  void SetUp() override {
    ASSERT_FALSE(llvm::sys::fs::createUniqueDirectory("npu-artefact", path));
  }
  void TearDown() override { llvm::sys::fs::remove_directories(path); }

  std::string file(const char *name) {
    llvm::SmallString<128> full(path);
    llvm::sys::path::append(full, name);
    return full.str().str();
  }

  void write(const std::string &path, const std::string &bytes) {
    std::ofstream(path, std::ios::binary) << bytes;
  }

  llvm::SmallString<128> path;
};

using ArtefactFiles = Folder;

/// What reading says of a header that `change` has changed.
std::string refusalOf(const std::function<void(ArtefactHeader &)> &change) {
  Artefact artefact = smallArtefact();
  change(artefact.header);
  Result<Artefact> read = readBytes(bytesOf(artefact));
  return read ? "" : read.error().message;
}

TEST(Artefact, HeaderComesBack) {
  Artefact artefact = smallArtefact();
  std::string bytes = bytesOf(artefact);
  Result<Artefact> read = readBytes(bytes);
  ASSERT_TRUE(bool(read)) << read.error().message;
  EXPECT_EQ(read->weights, kSmallWeights);
  EXPECT_EQ(read->section(tilesSection), "module {}");
  EXPECT_EQ(read->header.target, artefact.header.target);
  // Everything else is in the bytes.
  EXPECT_EQ(bytesOf(*read), bytes);
}

TEST(Artefact, OtherAbiIsNamed) {
  EXPECT_EQ(refusalOf([](ArtefactHeader &header) { header.abi = 1; }),
            "expected ABI version 5, got 1: compile the model again with "
            "this npu-compile");
}

TEST(Artefact, NumbersThatMakeNoSenseAreRefused) {
  EXPECT_NE(refusalOf([](auto &h) { h.inputs[0].spec.shape = {-1}; }), "");
  EXPECT_NE(refusalOf([](auto &h) {
              h.inputs[0].spec.shape = {int64_t(1) << 40, int64_t(1) << 40};
            }),
            "");
  EXPECT_NE(refusalOf([](auto &h) { h.arenas[0].bytes = -1; }), "");
  EXPECT_NE(refusalOf([](auto &h) { h.caches[0].input = 3; }), "");
  EXPECT_NE(refusalOf([](auto &h) { h.caches[0].dimension = 2; }), "");
  EXPECT_NE(refusalOf([](auto &h) { h.caches[0].offsetInput = -1; }), "");
  EXPECT_NE(refusalOf([](auto &h) { h.caches[0].capacity = 5; }), "");
  EXPECT_NE(refusalOf([](auto &h) { h.caches[0].result = 1; }), "");
  // A result in place has the type of the cache.
  EXPECT_NE(refusalOf([](auto &h) { h.caches[0].isInPlace = true; }), "");
  EXPECT_NE(refusalOf([](auto &h) { h.weights.entries[1].bytes = 37; }), "");
  EXPECT_NE(refusalOf([](auto &h) {
              h.weights.entries[1].offset = std::numeric_limits<int64_t>::max();
            }),
            "");
  EXPECT_NE(refusalOf([](auto &h) { h.inputs.pop_back(); }), "");
  EXPECT_NE(refusalOf([](auto &h) { h.weights.bytes = 99; }), "");
  EXPECT_EQ(refusalOf([](auto &) {}), "");
}

TEST(Artefact, EveryFieldIsNeeded) {
  llvm::json::Object whole = toJson(smallArtefact().header);
  ASSERT_TRUE(bool(headerFromJson(whole)));
  for (const auto &field : whole) {
    llvm::json::Object partial = whole;
    partial.erase(field.first);
    EXPECT_FALSE(bool(headerFromJson(partial))) << field.first.str();
    partial[field.first] = llvm::json::Array{nullptr};
    EXPECT_FALSE(bool(headerFromJson(partial))) << field.first.str();
  }
}

TEST(Artefact, WrongFieldsAreNamed) {
  llvm::json::Object header = toJson(smallArtefact().header);
  (*header.getObject("options"))["an option with a long name"] = 1;
  EXPECT_EQ(headerFromJson(header).error().message,
            "expected string at header.options.an option with a long name");
}

TEST_F(ArtefactFiles, WeightsApartAreChecked) {
  Artefact artefact = smallArtefact();
  artefact.header.weights.file = "model.weights";
  std::string bytes = bytesOf(artefact), weights = file("model.weights");
  write(file("model.npub"), bytes);
  auto errorOf = [&] {
    Result<Artefact> read = openArtefact(file("model.npub"));
    return read ? "" : read.error().message;
  };
  EXPECT_EQ(errorOf(), weights +
                           ": No such file or directory (the weights of " +
                           file("model.npub") + ")");
  write(weights, kSmallWeights.substr(1));
  EXPECT_EQ(errorOf(), weights + ": expected 100 bytes, the weights of " +
                           file("model.npub") + ", got 99");
  std::string other = kSmallWeights;
  other[50] ^= 1;
  write(weights, other);
  EXPECT_NE(errorOf().find("expected SHA-256"), std::string::npos);
  write(weights, kSmallWeights);
  EXPECT_EQ(errorOf(), "");
  artefact.header.weights.file = "../model.weights";
  write(file("model.npub"), bytesOf(artefact));
  EXPECT_NE(errorOf().find("expected the name of a file beside it"),
            std::string::npos);
}

TEST_F(ArtefactFiles, FilesAreWholeOrNotThere) {
  std::string path = file("out");
  write(path, "old");
  EXPECT_TRUE(writeFileAtomically(path, [&](llvm::raw_ostream &out) {
    out << "new";
    // Until it is whole, readers see what was there before.
    EXPECT_EQ((*readFile(path))->getBuffer(), "old");
  }));
  EXPECT_EQ((*readFile(path))->getBuffer(), "new");
  EXPECT_FALSE(writeFileAtomically(file("no/out"), [](auto &) {}));
  EXPECT_FALSE(writeFileAtomically(
      "/dev/full", [](llvm::raw_ostream &out) { out << "text"; }));
  EXPECT_TRUE(llvm::sys::fs::exists("/dev/full"));
  EXPECT_FALSE(bool(readFile(path.substr(0, path.rfind('/')))));
}

/// Whatever stands in a table with the right hashes, reading ends with an
/// artefact or with an error.
TEST(Artefact, RandomTablesAreReadOrRefused) {
  std::mt19937 random(1);
  std::string bytes = bytesOf(smallArtefact());
  Result<Container> container = readContainer(bytes);
  ASSERT_TRUE(bool(container));
  std::string text;
  llvm::raw_string_ostream os(text);
  os << llvm::json::Value(llvm::json::Object(container->description));
  int refused = 0;
  for (int i = 0; i < 3000; ++i) {
    std::string changed = text;
    const char letters[] = "0123456789-[]{}\",:nulltruee.";
    for (int k = random() % 3; k >= 0; --k)
      changed[random() % changed.size()] =
          letters[random() % (sizeof(letters) - 1)];
    Result<llvm::json::Object> object = parseJsonObject(changed);
    if (!object || !headerFromJson(*object))
      ++refused;
  }
  EXPECT_GT(refused, 100);
  EXPECT_LT(refused, 3000);
}

} // namespace
