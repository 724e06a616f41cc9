// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// Checks a distribution without a shape: all mistakes that do not depend on the
// tensor.

#include "npu/Placement/Distributions/Distribution.h"

#include <algorithm>

namespace npu {
namespace {

/// The limit of kernels, pads and strides. Below it, no sum or product of them
/// overflows 128 bits.
constexpr int64_t kMaxWindowNumber = int64_t(1) << 31;

template <typename... Parts>
Error error(const Parts &...parts) {
  std::string message;
  (message.append(parts), ...);
  return Error{message};
}

std::string number(int64_t value) { return std::to_string(value); }

class DistributionCheck {
public:
  explicit DistributionCheck(const Distribution &distribution)
      : d(distribution) {}

  Result<> run() {
    for (Result<> (DistributionCheck::*check)() :
         {&DistributionCheck::checkRanks, &DistributionCheck::checkTiles,
          &DistributionCheck::checkMajor, &DistributionCheck::checkAlign,
          &DistributionCheck::checkWindows, &DistributionCheck::checkBoxes,
          &DistributionCheck::checkMemory})
      if (Result<> failure = (this->*check)(); !failure)
        return failure;
    return Success();
  }

private:
  bool hasBoxes() const { return !d.compute.empty() || !d.memory.empty(); }
  bool hasTiles() const { return !d.tiles.empty() || d.tileCount != 0; }

  /// Checks that all lists of dimensions have the same length.
  Result<> agree(std::size_t got, std::string_view what) {
    if (!rank) {
      rank = got;
      rankFrom = what;
      return Success();
    }
    if (*rank == got)
      return Success();
    return error("expected ", what, " to have ", number(*rank),
                 " dimensions as ", rankFrom, " has, got ", number(got));
  }

  Result<> checkRanks() {
    if (!d.tiles.empty())
      if (Result<> failure = agree(d.tiles.size(), "`tiles`"); !failure)
        return failure;
    for (const Box &box : d.compute)
      if (Result<> failure = agree(box.rank(), "a compute box"); !failure)
        return failure;
    for (const Box &box : d.memory)
      if (Result<> failure = agree(box.rank(), "a memory box"); !failure)
        return failure;
    if (!d.align.empty())
      if (Result<> failure = agree(d.align.size(), "`align`"); !failure)
        return failure;
    return Success();
  }

  Result<> checkTiles() {
    if (d.copies < 1 || d.copies > kMaxTiles)
      return error("expected `copies` in 1..", number(kMaxTiles), ", got ",
                   number(d.copies));
    if (!d.tiles.empty() && d.tileCount != 0)
      return error("expected one of a tile count and tile counts per "
                   "dimension, got both");
    if (d.tileCount != 0 && traitsOf(d.mode).splits)
      return error("expected tile counts per dimension under ",
                   toString(d.mode), ", got the single count ",
                   number(d.tileCount));
    for (int64_t tiles : d.tiles)
      if (tiles < 1 || tiles > kMaxTiles)
        return error("expected tile counts in 1..", number(kMaxTiles),
                     ", got `tiles` ", toString(d.tiles));
    if (d.tileCount < 0 || d.tileCount > kMaxTiles)
      return error("expected a tile count in 1..", number(kMaxTiles), ", got ",
                   number(d.tileCount));
    if (hasTiles()) {
      std::optional<int64_t> count = d.tiles.empty()
                                         ? std::optional(d.tileCount)
                                         : checkedProduct(d.tiles.span());
      // Each factor is at most 4096 here, so that the product cannot overflow.
      gridTiles = count && *count <= kMaxTiles ? *count * d.copies : 0;
      if (gridTiles == 0 || gridTiles > kMaxTiles)
        return error("expected at most ", number(kMaxTiles), " tiles, got ",
                     d.tiles.empty() ? number(d.tileCount)
                                     : "`tiles` " + toString(d.tiles),
                     " with `copies` ", number(d.copies));
      return Success();
    }
    if (d.compute.empty())
      return error(d.memory.empty()
                       ? "expected `tiles` or boxes, got neither"
                       : "expected `tiles` or compute boxes beside memory "
                         "boxes, got neither");
    if (d.copies != 1)
      return error("expected no `copies` beside boxes without `tiles`, got ",
                   number(d.copies));
    return Success();
  }

  Result<> checkMajor() {
    if (d.major.empty())
      return Success();
    Permutation split;
    for (std::size_t dim = 0; dim < d.tiles.size(); ++dim)
      if (d.tiles[dim] > 1)
        split.push_back(static_cast<int64_t>(dim));
    Permutation listed = d.major;
    std::sort(listed.begin(), listed.end());
    if (listed != split)
      return error("expected `major` to list each of the split dimensions ",
                   toString(split), " once, got ", toString(d.major));
    return Success();
  }

  Result<> checkAlign() {
    for (int64_t align : d.align)
      if (align < 1)
        return error("expected positive alignments, got `align` ",
                     toString(d.align));
    return Success();
  }

  Result<> checkWindows() {
    if (d.windows.empty())
      return Success();
    if (!traitsOf(d.mode).hasHalo)
      return error("expected no window under ", toString(d.mode),
                   ", only OVERLAPPED has windows");
    if (!d.memory.empty())
      return error("expected windows or memory boxes, got both");
    if (d.tiles.empty())
      return error("expected tile counts per dimension beside windows, got "
                   "boxes only");
    for (const Window &window : d.windows)
      if (Result<> failure = checkWindow(window); !failure)
        return failure;
    return Success();
  }

  Result<> checkWindow(const Window &window) {
    if (window.dim < 0 || window.dim >= static_cast<int64_t>(*rank))
      return error("expected a window on a dimension in 0..",
                   number(static_cast<int64_t>(*rank) - 1), ", got dimension ",
                   number(window.dim));
    struct Field {
      std::string_view name;
      int64_t value;
      int64_t least;
    };
    for (const Field &field :
         {Field{"kernel", window.kernel, 1}, Field{"stride", window.stride, 1},
          Field{"dilation", window.dilation, 1},
          Field{"low pad", window.padLo, 0},
          Field{"high pad", window.padHi, 0}})
      if (field.value < field.least || field.value > kMaxWindowNumber)
        return error("expected the ", field.name,
                     " of the window on dimension ", number(window.dim), " in ",
                     number(field.least), "..", number(kMaxWindowNumber),
                     ", got ", number(field.value));
    return Success();
  }

  Result<> checkBoxes() {
    if (!hasBoxes())
      return Success();
    if (!d.compute.empty() && !d.memory.empty() &&
        d.compute.size() != d.memory.size())
      return error("expected as many memory boxes as compute boxes (",
                   number(d.compute.size()), "), got ",
                   number(d.memory.size()));
    int64_t count = static_cast<int64_t>(d.compute.empty() ? d.memory.size()
                                                           : d.compute.size());
    if (count > kMaxTiles)
      return error("expected at most ", number(kMaxTiles), " tiles, got ",
                   number(count), " boxes");
    if (hasTiles() && gridTiles != count)
      return error("expected a box for each of the ", number(gridTiles),
                   " tiles, got ", number(count));
    for (const std::vector<Box> *boxes : {&d.compute, &d.memory})
      for (std::size_t tile = 0; tile < boxes->size(); ++tile)
        for (const Range &range : (*boxes)[tile])
          if (range.begin < 0 || range.end < range.begin)
            return error("expected ranges with 0 <= begin <= end, got ",
                         boxes == &d.compute ? "compute" : "memory", " box ",
                         toString((*boxes)[tile]), " on tile ", number(tile));
    return Success();
  }

  Result<> checkMemory() {
    if (d.memory.empty())
      return Success();
    for (std::size_t tile = 0; tile < d.compute.size(); ++tile)
      if (!d.memory[tile].contains(d.compute[tile]))
        return error("expected the memory box of tile ", number(tile),
                     " to contain its compute box ", toString(d.compute[tile]),
                     ", got ", toString(d.memory[tile]));
    return Success();
  }

  const Distribution &d;
  std::optional<std::size_t> rank;
  std::string_view rankFrom;
  int64_t gridTiles = 0;
};

} // namespace

Result<> checkDistribution(const Distribution &distribution) {
  return DistributionCheck(distribution).run();
}

} // namespace npu
