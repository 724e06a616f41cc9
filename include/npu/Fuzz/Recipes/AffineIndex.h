// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// A result of an indexing map as plain data: what an operand's dimension is at
// a point of the loops.

#ifndef NPU_FUZZ_RECIPES_AFFINEINDEX_H
#define NPU_FUZZ_RECIPES_AFFINEINDEX_H

#include "npu/Fuzz/Plans/RandomPlacements.h"

#include <optional>
#include <span>
#include <string>

namespace npu {

struct AffineIndex {
  /// With i and j for `loop` and `other`, f for `factor`, o for `offset`.
  enum Form : int64_t {
    Plain,       // i
    Constant,    // o
    Offset,      // i + o
    Reversed,    // o - i
    Strided,     // i * f + o
    FloorDiv,    // (i + o) floordiv f
    CeilDiv,     // (i + o) ceildiv f
    Mod,         // (i + o) mod f
    RoundedDown, // (i floordiv f) * f + o
    ReversedMod, // (o - i) mod f
    Combined,    // i * f + j + o
    CombinedDiv, // (i * f + j) floordiv 2
    Sum,         // i + j mod f
    FormCount,
  };

  Form form = Plain;
  int64_t loop = 0, other = 0, factor = 1, offset = 0;

  int64_t at(std::span<const int64_t> point) const;
  /// "(d0 + 1) mod 4"
  std::string text() const;
  bool usesOther() const { return form >= Combined && form <= Sum; }
  bool uses(int64_t which) const {
    return form != Constant &&
           (loop == which || (usesOther() && other == which));
  }
};

/// How many of a step's numbers hold one, and the one that begins there.
inline constexpr std::size_t kIndexNumbers = 5;
AffineIndex indexFrom(std::span<const int64_t> numbers);
void append(std::vector<int64_t> &numbers, const AffineIndex &index);

/// All values lie in it. Precondition: no loop is empty. As linalg's verifier
/// does for a plain loop, takes it for all that there is.
Range valuesOf(const AffineIndex &index, std::span<const int64_t> loopExtents);

/// Of at least one loop; any form, with numbers that make a difference. Nothing
/// below zero where the loops are those.
AffineIndex randomIndex(RandomNumbers &random,
                        std::span<const int64_t> loopExtents);

/// Inside of that extent, or nothing after some tries.
std::optional<AffineIndex> randomIndexWithin(RandomNumbers &random,
                                             std::span<const int64_t> loops,
                                             int64_t extent);

/// "affine_map<(d0, d1) -> (d0 floordiv 2, d1)>"
std::string mapOf(std::size_t loops, std::span<const AffineIndex> indices);

} // namespace npu

#endif // NPU_FUZZ_RECIPES_AFFINEINDEX_H
