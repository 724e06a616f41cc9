// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// Splits of loops over tiles: which ones there are, what tiles run in them, and
// that there are no more of them on more tiles.

#include "npu/Analysis/Candidates/LoopSplits.h"
#include "CostsFixture.h"
#include "npu/Analysis/Costs/EngineOrders.h"

using namespace mlir;

namespace npu {
namespace {

class LoopSplitsTest : public CostsFixture {
protected:
  /// The splits of a matmul of MxK by KxN.
  std::vector<LoopSplit> splitsOf(int64_t m, int64_t k, int64_t n,
                                  int64_t tiles, int64_t alignment = 1,
                                  int64_t machineTiles = 0) {
    auto tensor = [](int64_t rows, int64_t columns) {
      return "tensor<" + std::to_string(rows) + "x" + std::to_string(columns) +
             "xf16>";
    };
    std::string a = tensor(m, k), b = tensor(k, n), c = tensor(m, n);
    Operation *op = lastOf("%a: " + a + ", %b: " + b + ", %c: " + c,
                           "%r = linalg.matmul ins(%a, %b : " + a + ", " + b +
                               ") outs(%c : " + c + ") -> " + c);
    OpAccess access = *OpAccess::get(op);
    return loopSplits(access, tiles, {channelLoops(op, access), alignment}, {},
                      {machineTiles});
  }

  static std::vector<std::string> names(const std::vector<LoopSplit> &splits) {
    std::vector<std::string> all;
    for (const LoopSplit &split : splits)
      all.push_back(split.what);
    return all;
  }

  /// The extents of loop `loop` on each tile in the split of that name.
  static std::vector<int64_t> extents(const std::vector<LoopSplit> &splits,
                                      StringRef name, unsigned loop) {
    std::vector<int64_t> all;
    for (const LoopSplit &split : splits)
      if (split.what == name)
        for (const IterationDomain &iteration : split.iterations)
          all.push_back(iteration.loops[loop].extent());
    return all;
  }
};

TEST_F(LoopSplitsTest, WhereTilesDivideTheLoops) {
  EXPECT_EQ(names(splitsOf(64, 32, 128, 4)),
            (std::vector<std::string>{"split d0 over 4", "split d1 over 4",
                                      "split d0 over 2 and d1 over 2",
                                      "duplicated", "one tile",
                                      "split d0 over 3", "split d0 over 2",
                                      "split d1 over 3", "split d1 over 2"}));
}

// Grids of machines by tiles, both ways round; tile 1 of 16 is beside tile 0.
TEST_F(LoopSplitsTest, OverMachines) {
  std::vector<std::string> one = names(splitsOf(64, 32, 128, 16));
  std::vector<LoopSplit> splits = splitsOf(64, 32, 128, 16, 1, 8);
  std::vector<std::string> two = names(splits);
  std::vector<std::string> more;
  for (const std::string &each : two)
    if (!llvm::is_contained(one, each))
      more.push_back(each);
  EXPECT_EQ(more, (std::vector<std::string>{"split d0 over 2 and d1 over 8",
                                            "split d1 over 2 and d0 over 8"}));
  EXPECT_EQ(two.size(), one.size() + 2);
  for (const LoopSplit &split : splits)
    if (split.what == more[1]) {
      ASSERT_EQ(split.iterations.size(), 16u);
      for (int tile = 0; tile < 16; ++tile) {
        EXPECT_EQ(split.iterations[tile].loops[1].begin, tile / 8 * 64);
        EXPECT_EQ(split.iterations[tile].loops[0].begin, tile % 8 * 8);
      }
    }
  // Where the last one has fewer tiles there is no grid. One loop may be split
  // over the tiles of one machine only.
  std::vector<std::string> uneven = names(splitsOf(64, 32, 128, 16, 1, 5));
  EXPECT_EQ(uneven.size(), one.size() + 2);
  EXPECT_TRUE(llvm::is_contained(uneven, "split d0 over 5"));
  EXPECT_TRUE(llvm::is_contained(uneven, "split d1 over 5"));
  // Each grid once.
  EXPECT_EQ(names(splitsOf(64, 32, 128, 4, 1, 2)).size(),
            names(splitsOf(64, 32, 128, 4)).size() + 1);
}

TEST_F(LoopSplitsTest, AsCeil) {
  auto splits = splitsOf(10, 32, 128, 4);
  EXPECT_EQ(extents(splits, "split d0 over 4", 0),
            (std::vector<int64_t>{3, 3, 2, 2}));
  EXPECT_EQ(extents(splits, "split d0 over 4, as ceil", 0),
            (std::vector<int64_t>{3, 3, 3, 1}));
  EXPECT_TRUE(extents(splits, "split d1 over 4, as ceil", 1).empty());
  // Fewer iterations than tiles leave some without any either candidate.
  EXPECT_TRUE(
      extents(splitsOf(3, 32, 128, 4), "split d0 over 4, as ceil", 0).empty());
}

// Channels of the result alone, and where tiles would not have whole multiples.
TEST_F(LoopSplitsTest, Aligned) {
  auto splits = splitsOf(100, 100, 100, 4, 16);
  EXPECT_EQ(extents(splits, "split d1 over 4, by 16", 1),
            (std::vector<int64_t>{32, 32, 32, 4}));
  EXPECT_TRUE(extents(splits, "split d0 over 4, by 16", 0).empty());
  EXPECT_TRUE(
      extents(splitsOf(100, 100, 128, 4, 16), "split d1 over 4, by 16", 1)
          .empty());
}

TEST_F(LoopSplitsTest, NoMoreOnMoreTiles) {
  size_t onEight = splitsOf(1024, 64, 1024, 8).size();
  EXPECT_LE(splitsOf(1024, 64, 1024, 64).size(), onEight);
  EXPECT_LE(splitsOf(1024, 64, 1024, 512).size(), onEight);
  EXPECT_EQ(names(splitsOf(1024, 64, 1024, 1)),
            std::vector<std::string>{"one tile"});
}

} // namespace
} // namespace npu
