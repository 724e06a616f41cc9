// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// A result of an indexing map as plain data: the position in a dimension of an
// operand at a point of the loops.

#ifndef NPU_FUZZ_RECIPES_AFFINEINDEX_H
#define NPU_FUZZ_RECIPES_AFFINEINDEX_H

#include "npu-fuzz/Plans/RandomPlacements.h"

#include <optional>
#include <span>
#include <string>

namespace npu {

struct AffineIndex {
  /// The formulas have i for `loop`, j for `other`, f for `factor` and o for
  /// `offset`.
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

/// How many numbers of a step hold one index. `indexFrom` reads an index from
/// the first of `numbers`.
inline constexpr std::size_t kIndexNumbers = 5;
AffineIndex indexFrom(std::span<const int64_t> numbers);
void append(std::vector<int64_t> &numbers, const AffineIndex &index);

/// A range that contains all values of the index. Of a plain loop it is the
/// whole range of the loop, as linalg's verifier takes it. Precondition: no
/// loop is empty.
Range valuesOf(const AffineIndex &index, std::span<const int64_t> loopExtents);

/// A random index of any form, over at least one loop, with numbers that make a
/// difference and no negative values over loops of these extents.
AffineIndex randomIndex(RandomNumbers &random,
                        std::span<const int64_t> loopExtents);

/// A random index whose values lie below `extent`; nothing after some tries.
std::optional<AffineIndex> randomIndexWithin(RandomNumbers &random,
                                             std::span<const int64_t> loops,
                                             int64_t extent);

/// "affine_map<(d0, d1) -> (d0 floordiv 2, d1)>"
std::string mapOf(std::size_t loops, std::span<const AffineIndex> indices);

} // namespace npu

#endif // NPU_FUZZ_RECIPES_AFFINEINDEX_H
