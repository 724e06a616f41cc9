// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// Distributions: the short description that a placement is computed from
// (docs/concepts.md, "From distribution to placement").

#ifndef NPU_PLACEMENT_DISTRIBUTIONS_DISTRIBUTION_H
#define NPU_PLACEMENT_DISTRIBUTIONS_DISTRIBUTION_H

#include "npu/Placement/Distributions/Mode.h"
#include "npu/Placement/Distributions/Order.h"
#include "npu/Placement/Distributions/Storage.h"

#include <vector>

namespace npu {

inline constexpr int64_t kMaxTiles = 4096;

enum class Split { Balanced, Ceil };

/// What a windowed operation reads along `dim`: output o reads inputs o*stride
/// - padLo to o*stride - padLo + (kernel - 1)*dilation, one in `dilation`.
struct Window {
  int64_t dim = 0;
  int64_t kernel = 1;
  int64_t stride = 1;
  int64_t padLo = 0;
  int64_t padHi = 0;
  int64_t dilation = 1;

  friend bool operator==(const Window &, const Window &) = default;
  friend auto operator<=>(const Window &, const Window &) = default;
};

/// Number of outputs along a dimension of extent S:
/// floor((S + padLo + padHi - ((kernel-1)*dilation + 1)) / stride) + 1, or 0.
int64_t windowOutputs(const Window &window, int64_t extent);

/// A distribution as people write it. Fields that are absent in the text are
/// empty here (1 for `copies`). `checkDistribution` says whether the fields can
/// describe a placement.
struct Distribution {
  Mode mode = Mode::Segmented;
  /// Tile counts per dimension; empty for `tiles = 4` or with boxes only.
  Extents tiles;
  /// `tiles = 4`, for modes that do not split; 0 when absent.
  int64_t tileCount = 0;
  /// The split dimensions, slowest-varying first; empty: increasing.
  Permutation major;
  /// Each box is held by this many consecutive tiles.
  int64_t copies = 1;
  Split split = Split::Balanced;
  /// Alignment per dimension; applies to split dimensions only.
  Extents align;
  /// Sorted, without repetitions (`normalize`).
  std::vector<Window> windows;
  /// Explicit boxes, one per tile, or empty.
  std::vector<Box> compute;
  std::vector<Box> memory;

  friend bool operator==(const Distribution &, const Distribution &) = default;
};

/// A distribution, a dimension order and a storage kind: what a tensor's
/// encoding says. Without a distribution the tensor lives in DDR.
struct Layout {
  std::optional<Distribution> distribution;
  /// Empty: identity.
  Permutation order;
  Storage storage = Storage::Linear;

  /// Empty boxes are equal whatever their rank; layouts of tensors of different
  /// ranks are not.
  friend bool operator==(const Layout &a, const Layout &b);
};

/// The number of tiles that take part; 0 only for distributions that
/// `checkDistribution` refuses.
int64_t tileCount(const Distribution &distribution);

/// Drops entries that are the default (align of all 1, `major` in increasing
/// order, dilation 1) and repeated windows, and sorts windows. Never changes
/// the placement at any shape.
void normalize(Distribution &distribution);

/// Checks all that does not depend on a shape: counts in 1..4096, ranks that
/// agree, positive alignments, kernels, strides and dilations, non-negative
/// pads, `major` a permutation of the split dimensions, windows only under a
/// mode with halos and not beside memory boxes, boxes with end >= begin >= 0,
/// as many compute as memory boxes as tiles, memory containing compute. Boxes
/// are not compared in pairs.
Result<> checkDistribution(const Distribution &distribution);

/// The distribution of a permute_cast's result; `inDim` is the map of
/// dimensions that castDimensions gives. The image of a short form is a short
/// form with the same tile numbering.
Distribution permute(const Distribution &distribution,
                     const Permutation &inDim);

/// FNV-style hash of every field; equal distributions have equal hashes.
std::size_t hashValue(const Layout &layout);

} // namespace npu

#endif // NPU_PLACEMENT_DISTRIBUTIONS_DISTRIBUTION_H
