// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// The cost formulas: values by hand, and what holds for any figures.

#include "npu/Target/Costs.h"

#include <gtest/gtest.h>

#include <array>
#include <functional>
#include <limits>
#include <set>
#include <vector>

using namespace npu;

namespace {

constexpr int64_t kMost = std::numeric_limits<int64_t>::max();

/// Figures that are easy to count with: rates of one per cycle.
CostFigures simpleFigures() {
  CostFigures figures;
  for (const CostField &field : costFields())
    field.of(figures) = field.name.ends_with("_rate") ? 1000 : 1;
  for (EngineFigures *engine : {&figures.f16, &figures.i8}) {
    engine->macsPerCycle = 4;
    engine->inputGranule = 4;
    engine->contractionOverhead = 7;
    engine->contractionRead = 1000;
    engine->contractionWrite = 2000;
    engine->depthwiseTaps = engine->depthwiseInputs = 1000;
    engine->poolingTaps = engine->poolingInputs = 1000;
  }
  figures.rowGranule = 2;
  figures.outputGranule = 2;
  figures.grid = 4;
  figures.windowChannels = 4;
  return figures;
}

/// A kernel that loads and stores each element.
int64_t kernel(const CostFigures &figures, const VectorBody &body, int64_t n,
               int64_t bits) {
  const VectorMove move{n, bits};
  return vectorCycles(figures, std::array{VectorPart{body, n, bits}},
                      std::array{move, move});
}

/// Every cost as a function of one size.
std::vector<std::function<int64_t(const CostFigures &, int64_t)>> allCosts() {
  using Figures = const CostFigures &;
  std::vector<std::function<int64_t(Figures, int64_t)>> costs;
  for (int64_t bits : {4, 8, 16, 32}) {
    for (int64_t ContractionPart::*size :
         {&ContractionPart::rows, &ContractionPart::inputChannels,
          &ContractionPart::outputChannels, &ContractionPart::window})
      costs.push_back([=](Figures figures, int64_t n) {
        ContractionPart part{40, 48, 80, bits, 9};
        part.*size = n;
        return contractionCycles(figures, part);
      });
    for (int64_t WindowPart::*size :
         {&WindowPart::pixels, &WindowPart::pixelsRead, &WindowPart::channels,
          &WindowPart::window})
      for (auto *cycles : {&depthwiseCycles, &poolingCycles})
        costs.push_back([=](Figures figures, int64_t n) {
          WindowPart part{49, 196, 80, 9, bits};
          part.*size = n;
          return (*cycles)(figures, part);
        });
    costs.push_back([=](Figures figures, int64_t n) {
      return elementwiseCycles(figures, n, 40, bits);
    });
    costs.push_back([=](Figures figures, int64_t n) {
      return elementwiseCycles(figures, 40, n, bits);
    });
    costs.push_back([=](Figures figures, int64_t n) {
      return kernel(figures, {1, 1, 1, 1, 1}, n, bits);
    });
    costs.push_back([=](Figures figures, int64_t n) {
      return copyCycles(figures, n, bits);
    });
  }
  for (Direction direction : {Direction::DdrToTile, Direction::TileToDdr,
                              Direction::TileToTile, Direction::DdrToDdr})
    costs.push_back([=](Figures figures, int64_t n) {
      return transferCycles(figures, direction, n);
    });
  return costs;
}

std::vector<CostFigures> allFigures() {
  CostFigures least, most;
  for (const CostField &field : costFields()) {
    field.of(least) = field.least;
    field.of(most) = field.most;
  }
  return {costFiguresOf("npu3720"), costFiguresOf("npu4000"), simpleFigures(),
          least, most};
}

} // namespace

TEST(Costs, ContractionByHand) {
  CostFigures figures = simpleFigures();
  // 3 rows are 4, 5 channels are 8 deep, 3 output channels are 4: 128
  // MACs, 32 cycles. The square 4 x 4 reads 4 * 8 weights and as many pixels:
  // 64 elements of a byte, 64 cycles. 9 results at two a cycle are 5 cycles.
  EXPECT_EQ(contractionCycles(figures, {3, 5, 3, 8}), 7 + 64 + 5);
  // f16: twice the bytes.
  EXPECT_EQ(contractionCycles(figures, {3, 5, 3, 16}), 7 + 128 + 9);
  // f32 is two pieces of f16.
  EXPECT_EQ(contractionCycles(figures, {3, 5, 3, 32}), 7 + 256 + 18);
  figures.i8.contractionRead = 1'000'000;
  EXPECT_EQ(contractionCycles(figures, {3, 5, 3, 8}), 7 + 32 + 5);
  EXPECT_EQ(contractionCycles(figures, {3, 5, 3, 8, 9}), 7 + 9 * 32 + 5);
}

TEST(Costs, OthersByHand) {
  CostFigures figures = simpleFigures();
  figures.i8.depthwiseOverhead = 10;
  figures.i8.depthwiseLeastPixels = 6;
  // 5 channels are 8, two workloads; 4 pixels count as 6, with 9 taps each.
  EXPECT_EQ(depthwiseCycles(figures, {4, 16, 5, 9, 8}),
            2 * 10 + 8 * 6 * 9 + 8 * 16);
  EXPECT_EQ(poolingCycles(figures, {4, 16, 5, 9, 8}),
            2 * 1 + 8 * 4 * 9 + 8 * 16);
  figures.f16.elementwiseRate = 1000;
  EXPECT_EQ(elementwiseCycles(figures, 5, 3, 16), 1 + 5 * 4);
  figures.vectorOverhead = 100;
  figures.vectorDivideRate = 250;
  figures.vectorMoveRate = 4000;
  EXPECT_EQ(kernel(figures, {2, 0, 0, 1, 0}, 10, 16), 100 + 20 + 40);
  EXPECT_EQ(kernel(figures, {1}, 10, 32), 100 + 20);
  // 2 rows of 5: a step for each row, and one for each element.
  const VectorPart row{{1}, 2, 32}, element{{1}, 10, 16};
  const VectorMove load{10, 32}, store{10, 8};
  EXPECT_EQ(
      vectorCycles(figures, std::array{row, element}, std::array{load, store}),
      100 + 4 + 10);
  // Loads and stores take longer than a step for each row does: 30 of 16 bits.
  EXPECT_EQ(vectorCycles(figures, std::array{row}, std::array{load, store}),
            100 + 8);
  EXPECT_EQ(copyCycles(figures, 10, 16), 100 + 5);
  figures.tileToDdrLatency = 30;
  figures.tileToDdrRate = 1500;
  EXPECT_EQ(transferCycles(figures, Direction::TileToDdr, 4), 30 + 3);
}

TEST(Costs, NoWorkIsFree) {
  for (const CostFigures &figures : allFigures())
    for (const auto &cost : allCosts())
      for (int64_t size : {int64_t{0}, int64_t{-1}, -kMost - 1})
        EXPECT_EQ(cost(figures, size), 0);
}

// More work never costs less, up to sizes that no device has.
TEST(Costs, MonotoneAndSaturating) {
  for (const CostFigures &figures : allFigures())
    for (const auto &cost : allCosts()) {
      int64_t before = 0;
      for (int64_t size = 1; size < 600; ++size) {
        int64_t cycles = cost(figures, size);
        ASSERT_GE(cycles, before) << size;
        before = cycles;
      }
      for (int shift = 10; shift < 63; ++shift)
        for (int64_t step : {-1, 0, 1}) {
          int64_t cycles = cost(figures, (int64_t{1} << shift) + step);
          ASSERT_GE(cycles, before) << shift;
          before = cycles;
        }
      EXPECT_GE(cost(figures, kMost), before);
      EXPECT_EQ(cost(figures, kMost), kMost);
    }
}

TEST(Costs, Figures) {
  std::set<std::string> names;
  CostFigures seven;
  for (const CostField &field : costFields()) {
    names.insert(field.name);
    field.of(seven) = 7;
    EXPECT_EQ(findCostField(field.name), &field);
    CostFigures bad = costFiguresOf("npu4000");
    for (int64_t value : {field.least - 1, field.most + 1}) {
      field.of(bad) = value;
      ASSERT_FALSE(checkCosts(bad)) << field.name;
      EXPECT_EQ(checkCosts(bad).error().message,
                "expected '" + field.name + "' from " +
                    std::to_string(field.least) + " to " +
                    std::to_string(field.most) + ", got " +
                    std::to_string(value));
    }
  }
  EXPECT_EQ(names.size(), costFields().size());
  EXPECT_EQ(sizeof(CostFigures), costFields().size() * sizeof(int64_t));
  EXPECT_EQ(findCostField("grids"), nullptr);
  for (const CostFigures &figures : allFigures())
    EXPECT_TRUE(checkCosts(figures)) << checkCosts(figures).error().message;
  EXPECT_TRUE(checkCosts(seven));
}
