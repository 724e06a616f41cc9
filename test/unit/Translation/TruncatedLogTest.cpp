// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// Logs are cut anywhere. However much of the field log is left, the result is
// an error or the very module of the whole log, and never something between.

#include "FieldText.h"

#include <gtest/gtest.h>

#include <algorithm>
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

/// Wherever the log is cut, the explanation says what is missing, and what it
/// has said before it was cut.
TEST(TruncatedLog, EveryPrefixSaysWhatIsMissingAndWhatIsKnown) {
  std::string whole = read("prompt-336.log");
  std::size_t sentence = whole.find("incompatible") + 12;
  std::size_t end = whole.find(">,expected") + 1;
  // Where the boxes of `in`, its mode and that of `out` are told to their ends.
  std::size_t boxes = whole.find("memory_shapes");
  std::size_t mode = whole.find("OVERLAPPED") + 11;
  for (std::size_t length = 1; length < end; ++length) {
    SCOPED_TRACE(whole.substr(0, length));
    mlir::MLIRContext context(mlir::MLIRContext::Threading::DISABLED);
    std::vector<std::string> errors, notes;
    context.getDiagEngine().registerHandler([&](mlir::Diagnostic &diagnostic) {
      errors.push_back(diagnostic.str());
      for (mlir::Diagnostic &note : diagnostic.getNotes())
        notes.push_back(note.str());
    });
    ASSERT_TRUE(mlir::failed(
        explainNpuLog(whole.substr(0, length), "log", {}, &context)));
    ASSERT_EQ(errors.size(), 1u);
    auto says = [&](const std::string &words) {
      return std::any_of(notes.begin(), notes.end(), [&](auto &note) {
        return note.find(words) != std::string::npos;
      });
    };
    if (length < sentence) {
      ASSERT_EQ(says("the log ends in the middle of a line"),
                whole[length - 1] != '\n');
      continue;
    }
    ASSERT_TRUE(says("missing are"));
    ASSERT_TRUE(says("the operation is Add_1106, _mem_permute_1 (Add)"));
    ASSERT_EQ(says("'in' is 1x28x336x128, SEGMENTED, and held by tile 0 "
                   "[0:1, 0:7, 0:336, 0:128]"),
              length >= boxes - 2);
    ASSERT_EQ(says("stops at 'mode' in any case: expected SEGMENTED, out "
                   "OVERLAPPED"),
              length >= mode);
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
