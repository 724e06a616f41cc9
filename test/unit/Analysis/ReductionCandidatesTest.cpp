// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// Candidates that split loops which reduce: which ones there are, that there
// are no more of them on more tiles, and what tiles hold in them.

#include "CostsFixture.h"
#include "npu/Analysis/Candidates/OperationCandidates.h"
#include "npu/Dialect/NPU/IR/NPUDialect.h"

#include "mlir/Dialect/Arith/IR/Arith.h"
#include "mlir/Dialect/Tensor/IR/Tensor.h"

using namespace mlir;

namespace npu {
namespace {

class ReductionCandidatesTest : public CostsFixture {
protected:
  // What a reduction in parts consists of.
  ReductionCandidatesTest() {
    context
        .loadDialect<NPUDialect, arith::ArithDialect, tensor::TensorDialect>();
  }

  /// The candidates of a matmul of MxK by KxN in f32.
  OperationCandidates &candidatesOf(int64_t m, int64_t k, int64_t n,
                                    int64_t tiles) {
    auto tensor = [](int64_t rows, int64_t columns) {
      return "tensor<" + std::to_string(rows) + "x" + std::to_string(columns) +
             "xf32>";
    };
    std::string a = tensor(m, k), b = tensor(k, n), c = tensor(m, n);
    module = parseSourceString<ModuleOp>(
        "func.func @f(%a: " + a + ", %b: " + b + ", %c: " + c + ") -> " + c +
            " {\n%r = linalg.matmul ins(%a, %b : " + a + ", " + b +
            ") outs(%c : " + c + ") -> " + c + "\nreturn %r : " + c + "\n}",
        &context);
    auto function = *module->getOps<func::FuncOp>().begin();
    candidates = std::make_unique<OperationCandidates>(
        &function.front().front(),
        OrderedTypes{{type(c)}, {type(a), type(b), type(c)}}, target, tiles);
    return *candidates;
  }

  static std::vector<std::string>
  inParts(const OperationCandidates &candidates) {
    std::vector<std::string> found;
    for (const OperationCandidate &candidate : candidates.candidates())
      if (candidate.split)
        found.push_back(candidate.what);
    return found;
  }

  std::unique_ptr<OperationCandidates> candidates;
};

// None before they are asked for, and each once.
TEST_F(ReductionCandidatesTest, OfAMatmul) {
  OperationCandidates &found = candidatesOf(32, 64, 48, 4);
  EXPECT_TRUE(inParts(found).empty());
  size_t others = found.candidates().size();
  found.addReductionSplits();
  found.addReductionSplits();
  EXPECT_EQ(inParts(found), (std::vector<std::string>{
                                "split d2 over 4, combined as split d0 over 4",
                                "split d2 over 4, combined as split d1 over 4",
                                "split d2 over 4, combined as duplicated"}));
  const OperationCandidate &rows = found.candidates()[others];
  EXPECT_EQ(rows.operands[0],
            type("tensor<32x64xf32, #npu.layout<SEGMENTED, tiles = [1, 4]>>"));
  EXPECT_EQ(rows.operands[1],
            type("tensor<64x48xf32, #npu.layout<SEGMENTED, tiles = [4, 1]>>"));
  EXPECT_EQ(rows.operands[2], rows.results[0]);
  EXPECT_EQ(rows.results[0],
            type("tensor<32x48xf32, #npu.layout<SEGMENTED, tiles = [4, 1]>>"));
}

TEST_F(ReductionCandidatesTest, NoMoreOnMoreTiles) {
  for (int64_t tiles : {2, 4, 16, 64, 256}) {
    OperationCandidates &found = candidatesOf(32, 1024, 48, tiles);
    found.addReductionSplits();
    EXPECT_EQ(inParts(found).size(), 3) << tiles;
  }
  // One tile has nothing to split; more parts than these are too many.
  for (int64_t tiles : {1, 512}) {
    OperationCandidates &found = candidatesOf(32, 1024, 48, tiles);
    found.addReductionSplits();
    EXPECT_EQ(inParts(found).size(), 0) << tiles;
  }
}

// One entry is combined on one tile, or on all.
TEST_F(ReductionCandidatesTest, OfOneEntry) {
  OperationCandidates &found = candidatesOf(1, 64, 1, 4);
  found.addReductionSplits();
  EXPECT_EQ(inParts(found), (std::vector<std::string>{
                                "split d2 over 4, combined as duplicated",
                                "split d2 over 4, combined as one tile"}));
}

// Where a producer leaves halves of the terms and halves of the rows, two tiles
// have each part.
TEST_F(ReductionCandidatesTest, WhereAnOperandLies) {
  OperationCandidates &found = candidatesOf(32, 64, 48, 4);
  RankedTensorType grid =
      type("tensor<32x64xf32, #npu.layout<SEGMENTED, tiles = [2, 2]>>");
  EXPECT_FALSE(found.addReadingParts(0, grid));
  found.addReductionSplits();
  EXPECT_TRUE(found.addReadingParts(0, grid));
  EXPECT_FALSE(found.addReadingParts(0, grid));
  const OperationCandidate &candidate = found.candidates().back();
  EXPECT_EQ(candidate.what,
            "in parts as operand #0 lies, combined as duplicated");
  ASSERT_TRUE(candidate.split);
  EXPECT_EQ(candidate.split->parts.size(), 2);
  // Rows that are whole are no parts.
  EXPECT_FALSE(found.addReadingParts(
      0, type("tensor<32x64xf32, #npu.layout<SEGMENTED, tiles = [4, 1]>>")));
}

// The cost is that of the parts, of their movement and of combining them.
TEST_F(ReductionCandidatesTest, Cost) {
  OperationCandidates &found = candidatesOf(32, 64, 48, 4);
  found.addReductionSplits();
  const OperationCandidate &candidate = found.candidates().back();
  RankedTensorType from = type("tensor<4x32x48xf32, "
                               "#npu.layout<SEGMENTED, tiles = [4, 1, 1]>>"),
                   to = type("tensor<4x32x48xf32, "
                             "#npu.layout<DUPLICATED, tiles = 4>>");
  ModelledCost move = movementCost(from, to, {}, target);
  int64_t part = contractionCycles(figures, {32, 16, 48, 32});
  int64_t combining = vector({.reduce = 1}, 4 * 32 * 48, 32);
  EXPECT_EQ(candidate.cost, part + move.cycles + combining);
  EXPECT_EQ(candidate.movedBytes, 4 * 3 * 32 * 48 * 4);
}

// Partial results and what is combined are there at the same time; of uneven
// parts, the partial results of both series and all of them in one.
TEST_F(ReductionCandidatesTest, HeldBetween) {
  OperationCandidates &even = candidatesOf(32, 64, 48, 4);
  EXPECT_TRUE(heldBetween(even.candidates().front()).empty());
  even.addReductionSplits();
  auto steps = heldBetween(even.candidates().back());
  ASSERT_EQ(steps.size(), 1);
  EXPECT_EQ(steps[0].size(), 2);
  OperationCandidates &uneven = candidatesOf(32, 66, 48, 4);
  uneven.addReductionSplits();
  steps = heldBetween(uneven.candidates().back());
  ASSERT_EQ(steps.size(), 2);
  EXPECT_EQ(steps[0].size(), 3);
}

} // namespace
} // namespace npu
