// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// A tensor that lies in its file is the file: what is written to the one is
// read from the other, byte by byte as it would have been written.

#include "npu/Host/Npy.h"

#include "llvm/ADT/SmallString.h"
#include "llvm/Support/FileSystem.h"
#include "llvm/Support/MemoryBuffer.h"
#include "gtest/gtest.h"

using namespace npu;
namespace fs = llvm::sys::fs;

namespace {

class MapNpyTest : public ::testing::Test {
protected:
  MapNpyTest() { (void)fs::createTemporaryFile("map", "npy", file, path); }
  ~MapNpyTest() override {
    (void)fs::closeFile(file);
    (void)fs::remove(path);
  }

  int file = -1;
  llvm::SmallString<128> path;
};

TEST_F(MapNpyTest, IsItsFile) {
  TensorSpec spec{ElementType::F32, {300, 200}};
  HostTensor expected(spec);
  {
    Result<std::optional<HostTensor>> mapped = mapNpy(file, spec);
    ASSERT_TRUE(mapped);
    ASSERT_TRUE(*mapped);
    // What nobody writes is poison.
    EXPECT_EQ(bitsAt(**mapped, 59999), bitsAt(expected, 59999));
    for (int64_t i = 0; i < 59999; ++i) {
      setBitsAt(**mapped, i, static_cast<uint64_t>(i));
      setBitsAt(expected, i, static_cast<uint64_t>(i));
    }
  }
  std::string text;
  llvm::raw_string_ostream out(text);
  writeNpy(out, expected);
  auto content = llvm::MemoryBuffer::getFile(path);
  ASSERT_TRUE(content);
  EXPECT_TRUE((*content)->getBuffer() == text);
}

TEST_F(MapNpyTest, WhatIsToBeWritten) {
  for (const TensorSpec &spec : {TensorSpec{ElementType::F32, {4, 4}},
                                 TensorSpec{ElementType::I4, {1000, 1000}}}) {
    Result<std::optional<HostTensor>> mapped = mapNpy(file, spec);
    ASSERT_TRUE(mapped);
    EXPECT_FALSE(*mapped) << toString(spec);
  }
}

} // namespace
