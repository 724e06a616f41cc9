// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// The field compiler's own tests say what its users mean by a distribution.
// Every row of theirs whose rule is ours must give their boxes; where the
// meaning differs on purpose, this file says by which rule.

#include "Elements.h"
#include "GoldenRows.h"

#include <gtest/gtest.h>

namespace npu {
namespace {

/// The memory boxes that the row expects.
std::vector<Box> expectedMemory(const GoldenRow &row, const Extents &shape) {
  return boxesOf(row.text(row.text("memory") == "same" ? "compute" : "memory"),
                 shape);
}

void expectBoxes(const GoldenRow &row) {
  Extents shape = row.extents("shape");
  Distribution distribution = shortFormOf(row);
  Result<Placement> placement = place(distribution, shape);
  ASSERT_TRUE(placement) << placement.error().message;
  std::vector<Box> memory = expectedMemory(row, shape);
  ASSERT_EQ(placement->tiles.size(), memory.size());
  // Where the field copies the memory view into the compute view, memory alone
  // says what the distribution means.
  bool computeIsCopied =
      row.has("equal") || row.text("rule") == "concat_compute_eq_memory";
  std::vector<Box> compute;
  if (row.has("compute") && !computeIsCopied)
    compute = boxesOf(row.text("compute"), shape);
  for (std::size_t tile = 0; tile < memory.size(); ++tile) {
    EXPECT_EQ(placement->tiles[tile].memory, memory[tile]) << "tile " << tile;
    if (!compute.empty())
      EXPECT_EQ(placement->tiles[tile].compute, compute[tile])
          << "tile " << tile;
  }
  if (!row.has("compute"))
    return;
  // Implicit and explicit form are one distribution.
  Distribution written = *writtenBoxesOf(row, shape);
  Result<Placement> explicitPlacement = place(written, shape);
  ASSERT_TRUE(explicitPlacement) << explicitPlacement.error().message;
  EXPECT_TRUE(sameMemory(*explicitPlacement, *placement));
  if (distribution.windows.empty()) {
    Distribution a = canonical(written, shape);
    Distribution b = canonical(distribution, shape);
    EXPECT_TRUE(sameMemory(*place(a, shape), *place(b, shape)));
    EXPECT_TRUE(a.compute.empty() && a.memory.empty());
    EXPECT_EQ(a.tiles, b.tiles);
  }
}

/// What the fullest tile allocates, for f16: all rows but those with elements
/// of less than a byte, and those with strides, which leave room in between.
void expectBytes(const GoldenRow &row) {
  if (!row.has("bytes") || row.id.find("SubByte") != std::string::npos ||
      row.id.find("Stride") != std::string::npos)
    return;
  Extents shape = row.extents("shape");
  int64_t elements = 0;
  if (row.text("rule") == "explicit")
    for (const Box &box : expectedMemory(row, shape))
      elements = std::max(elements, box.volume());
  else
    elements = maxTileFootprint(*place(shortFormOf(row), shape));
  EXPECT_EQ(2 * elements, std::stoll(row.text("bytes")));
}

/// The two rules that boxes people wrote may break, counted element by element
/// along the dimensions: every compute box inside its memory box, and every
/// element in some compute box.
enum class Rule { None, MemoryContainsCompute, ComputeCovers };

Rule brokenRule(const Extents &shape, const std::vector<Box> &compute,
                const std::vector<Box> &memory) {
  for (std::size_t tile = 0; tile < memory.size(); ++tile)
    for (std::size_t dim = 0; dim < shape.size(); ++dim)
      if (memory[tile][dim].begin > compute[tile][dim].begin ||
          memory[tile][dim].end < compute[tile][dim].end)
        return Rule::MemoryContainsCompute;
  // All rows are split along one dimension.
  for (std::size_t dim = 0; dim < shape.size(); ++dim)
    for (int64_t i = 0; i < shape[dim]; ++i)
      if (std::none_of(compute.begin(), compute.end(), [&](const Box &box) {
            return box[dim].begin <= i && i < box[dim].end;
          }))
        return Rule::ComputeCovers;
  return Rule::None;
}

/// Boxes as somebody wrote them: accepted, unless they break a rule.
Rule expectAcceptedOrRefusedByRule(const GoldenRow &row) {
  Extents shape = row.extents("shape");
  Distribution written = *writtenBoxesOf(row, shape);
  std::vector<Box> memory = expectedMemory(row, shape);
  Rule broken = brokenRule(shape, written.compute, memory);
  Result<Placement> placement = place(written, shape);
  EXPECT_EQ(bool(placement), broken == Rule::None);
  if (!placement) {
    EXPECT_NE(placement.error().message.find(
                  broken == Rule::ComputeCovers ? "compute boxes that cover"
                                                : "to contain its compute box"),
              std::string::npos)
        << placement.error().message;
    return broken;
  }
  for (std::size_t tile = 0; tile < memory.size(); ++tile)
    EXPECT_EQ(placement->tiles[tile].memory, memory[tile]);
  // And what is shown for them means them.
  Distribution described = describe(shape, memory, &written.compute);
  EXPECT_TRUE(sameMemory(*place(described, shape), *placement));
  EXPECT_TRUE(sameCompute(*place(described, shape), *placement));
  return broken;
}

TEST(GoldenDistributions, EveryRow) {
  std::map<std::string, int> rows;
  std::map<Rule, int> broken;
  for (const GoldenRow &row : readGoldenRows("distributions.txt")) {
    SCOPED_TRACE(row.id + " (" + row.source + ")");
    std::string rule = row.text("rule"), status = row.text("status");
    ++rows[rule + " " + status];
    if (status == "match") {
      expectBoxes(row);
    } else if (status == "no-expectation") {
      ASSERT_TRUE(place(shortFormOf(row), row.extents("shape")));
    } else {
      // Written by hand, or by another rule: the short form gives other boxes,
      // or says less than the boxes do.
      ++broken[expectAcceptedOrRefusedByRule(row)];
    }
    expectBytes(row);
  }
  EXPECT_EQ(rows,
            (std::map<std::string, int>{{"concat_compute_eq_memory match", 1},
                                        {"explicit not-modelled", 77},
                                        {"extended_halo match", 25},
                                        {"formula DIFF", 7},
                                        {"formula match", 170},
                                        {"formula no-expectation", 5},
                                        {"sw_back_infer not-modelled", 1}}));
  EXPECT_EQ(broken, (std::map<Rule, int>{{Rule::None, 82},
                                         {Rule::MemoryContainsCompute, 2},
                                         {Rule::ComputeCovers, 1}}));
}

TEST(GoldenDistributions, HandWrittenBoxesAreNotTheFormula) {
  for (const GoldenRow &row : readGoldenRows("distributions.txt")) {
    if (row.text("status") != "DIFF")
      continue;
    SCOPED_TRACE(row.id);
    Extents shape = row.extents("shape");
    Placement formula = *place(shortFormOf(row), shape);
    std::vector<Box> compute = boxesOf(row.text("compute"), shape);
    std::vector<Box> memory = expectedMemory(row, shape);
    bool same = true;
    for (std::size_t tile = 0; tile < compute.size(); ++tile)
      same &= formula.tiles[tile] == TileBoxes{compute[tile], memory[tile]};
    EXPECT_FALSE(same);
  }
}

} // namespace
} // namespace npu
