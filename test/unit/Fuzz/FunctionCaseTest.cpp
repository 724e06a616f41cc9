// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// Cases run one after the other in one process. The threads of one must not end
// with it: every function with parallel tiles after the first one crashed. And
// sums that tiles share come out with the bits that these parts have, or do not
// pass.

#include "npu-fuzz/Cases/Modes.h"
#include "npu/InitAllPasses.h"

#include <gtest/gtest.h>

namespace npu {
namespace {

class FunctionCase : public testing::Test {
protected:
  /// Cases look their passes up by name.
  static void SetUpTestSuite() { registerAllPasses(); }
};

TEST_F(FunctionCase, RunsParallelTilesMoreThanOnce) {
  int parallel = 0;
  for (uint64_t number = 0; parallel < 3; ++number) {
    // Nothing but arguments: whatever the compiler cannot do is not asked for.
    MadeFunction function = randomFunction(1, number);
    if (!function.parallelTiles)
      continue;
    function.text =
        "func.func @main(%a: tensor<4x6xf32, #npu.layout<SEGMENTED, tiles = "
        "[2, 1]>>)\n-> tensor<4x6xf32, #npu.layout<SEGMENTED, tiles = [2, "
        "1]>> {\n  return %a : tensor<4x6xf32, #npu.layout<SEGMENTED, tiles = "
        "[2, 1]>>\n}\n";
    CaseResult result = runFunctionCase(function, {});
    EXPECT_EQ(result.outcome, Outcome::Fine) << result.message;
    ++parallel;
  }
}

/// Of every kind of spoiling, nearly all.
TEST_F(FunctionCase, NoticesSpoiledSums) {
  int spoiled[3] = {}, noticed[3] = {}, sixteenBits = 0;
  for (uint64_t number = 0; number < 300; ++number) {
    MadeFunction function = randomFunction(1, number);
    // A sum that is NaN is NaN without one of its parts.
    if (function.special)
      continue;
    CaseOptions options;
    options.seed = number;
    options.broken = Break::SpoilSum;
    CaseResult result = runFunctionCase(function, options);
    // With a message it had nothing to spoil.
    if (result.outcome == Outcome::Fine && !result.message.empty())
      continue;
    ASSERT_NE(result.outcome, Outcome::Refused) << result.message;
    ++spoiled[number % 3];
    noticed[number % 3] += result.outcome == Outcome::Different;
    const std::string &text = function.text;
    sixteenBits += result.outcome == Outcome::Different &&
                   text.find("f16") != std::string::npos;
    // The same case without that is fine.
    options.broken = Break::None;
    if (spoiled[number % 3] <= 3) {
      result = runFunctionCase(function, options);
      EXPECT_EQ(result.outcome, Outcome::Fine) << result.message;
    }
  }
  EXPECT_GT(sixteenBits, 0);
  for (int kind = 0; kind < 3; ++kind) {
    EXPECT_GE(spoiled[kind], 5);
    EXPECT_GE(noticed[kind], spoiled[kind] - 1);
  }
}

} // namespace
} // namespace npu
