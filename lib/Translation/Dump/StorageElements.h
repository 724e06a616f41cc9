// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// Which entries of its data a storage element table points to. An operation of
// the matrix engine that reads through a table has its window in the table's
// coordinates, and the table decides what is read of the data: a table of 22
// rows over 5 rows of data says of each of the 22 which of the 5 it is.

#ifndef NPU_LIB_TRANSLATION_DUMP_STORAGEELEMENTS_H
#define NPU_LIB_TRANSLATION_DUMP_STORAGEELEMENTS_H

#include "npu/Placement/Boxes/Box.h"
#include "npu/Placement/Result.h"

#include <array>
#include <optional>
#include <string>
#include <string_view>

namespace npu {

class StorageElements {
public:
  /// The table that an attribute of the field compiler stands for:
  /// "#VPU.SEInterpolate<...>", SEUpsampling, SEPadding or SERoll; an error
  /// where it is another one, or its numbers cannot be read.
  static Result<StorageElements> parse(std::string_view attribute);

  /// The table of those extents [Y, X] over data of the extents `data`, of
  /// which a dump has no attribute, where an operation with that kernel and
  /// those strides reads through it: an interpolation, or the data themselves.
  /// Nothing where the numbers fit neither. It is a guess by the extents.
  static std::optional<StorageElements> guess(const Extents &table,
                                              const Extents &data,
                                              const Extents &kernel,
                                              const Extents &strides);

  /// The entries of data of that extent along an axis (0 is Y, 1 is X) that
  /// the entries `range` of the table point to; the smallest range that has
  /// all of them. Example: a bilinear interpolation of half pixels by 2 makes
  /// 22 rows of 5, of which 0:12 point to 0:3.
  Range pointedTo(int axis, Range range, int64_t extent) const;

  /// "an interpolation by 2, 2"
  const std::string &words() const { return name; }

private:
  enum class Kind { Identity, Interpolate, Upsample, Pad, Roll };
  enum class Coordinates { HalfPixel, Asymmetric, TfHalfPixel, AlignCorners };
  enum class Nearest { Floor, Ceil, RoundFloor, RoundCeil };

  int64_t entryOf(int axis, int64_t position, int64_t extent) const;
  int64_t interpolated(int axis, int64_t position, int64_t extent) const;
  int64_t padded(int axis, int64_t position, int64_t extent) const;
  /// The kernel and the stride of an interpolation along an axis, and how many
  /// entries of padding its table has on both sides together.
  struct Window {
    int64_t kernel, stride, padding;
  };
  Window windowOf(int axis) const;

  Kind kind = Kind::Identity;
  std::string name = "the data themselves";
  /// Where a part of a tiled table begins in the whole one, [Y, X].
  std::array<int64_t, 2> offsets{0, 0};
  /// Of an interpolation.
  bool bilinear = false;
  Coordinates coordinates = Coordinates::Asymmetric;
  Nearest nearest = Nearest::Floor;
  std::array<int64_t, 2> scales{1, 1};
  /// The extents before tiling, where the attribute has them.
  std::optional<std::array<int64_t, 2>> wholeInput, wholeOutput;
  /// Zeros between two entries, of an upsampling.
  std::array<int64_t, 2> factors{0, 0};
  /// Entries before the data, of an upsampling or a padding.
  std::array<int64_t, 2> before{0, 0};
  /// Of a padding: whether it mirrors, and whether the outermost entry twice.
  bool mirrors = false, repeatsEdge = false;
  /// Of a roll.
  std::array<int64_t, 2> shifts{0, 0};
};

} // namespace npu

#endif // NPU_LIB_TRANSLATION_DUMP_STORAGEELEMENTS_H
