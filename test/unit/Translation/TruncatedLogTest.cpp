// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// Logs are cut anywhere. However much of the field log is left, the result is
// an error or the very module of the whole log, and never something between.

#include "FieldText.h"

#include <gtest/gtest.h>

#include <fstream>
#include <iterator>

namespace npu {
namespace {

std::string read(const char *name) {
  std::ifstream file(std::string(NPU_EXAMPLES_DIR "/") + name);
  return {std::istreambuf_iterator<char>(file), {}};
}

TEST(TruncatedLog, EveryPrefixIsAnErrorOrTheWhole) {
  LogReader reader;
  std::string whole = read("prompt-336.log");
  ASSERT_FALSE(whole.empty());
  auto module = reader.import(whole);
  ASSERT_TRUE(module);
  PermuteCastOp cast = LogReader::castOf(*module);
  mlir::Type in = cast.getInput().getType(), out = cast.getResult().getType();
  // Nothing is missing from the last sign of `out` on.
  std::size_t end = whole.find(">,expected") + 1;
  for (std::size_t length = 0; length <= whole.size(); ++length) {
    SCOPED_TRACE(length);
    auto part = reader.import(whole.substr(0, length));
    ASSERT_EQ(static_cast<bool>(part), length >= end);
    if (!part) {
      ASSERT_EQ(reader.errors.size(), 1u);
      continue;
    }
    PermuteCastOp again = LogReader::castOf(*part);
    ASSERT_EQ(again.getInput().getType(), in);
    ASSERT_EQ(again.getResult().getType(), out);
  }
}

/// The same with another error after it that is whole: the log does not end
/// where the first one is cut, and nothing is imported all the same.
TEST(TruncatedLog, AWholeErrorDoesNotSaveACutOne) {
  LogReader reader;
  std::string whole = read("prompt-336.log");
  std::size_t begin = whole.find("incompatible") + 12;
  std::size_t end = whole.find(">,expected") + 1;
  for (std::size_t length = begin + 1; length < end; ++length) {
    SCOPED_TRACE(length);
    ASSERT_FALSE(reader.import(whole.substr(0, length) + "\n" + whole));
    ASSERT_EQ(reader.errors.size(), 1u);
  }
}

} // namespace
} // namespace npu
