// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// Which elements of an image an element of the resized one comes from, along
// one dimension, and with which weights. Numbers only: Resizing.cpp builds the
// operations from them. Names and formulas are those of the ONNX standard.

#ifndef NPU_LIB_TRANSLATION_ONNX_OPERATORS_RESIZETAPS_H
#define NPU_LIB_TRANSLATION_ONNX_OPERATORS_RESIZETAPS_H

#include <cstdint>
#include <optional>
#include <string>
#include <vector>

namespace npu {

enum class ResizeMode { Nearest, Linear, Cubic };

/// One dimension: its extents, how many entries of the result there are to one
/// of the image (not always the quotient of the extents, which are whole), and
/// the part of the image that is wanted, as fractions.
struct ResizeAxis {
  int64_t entries = 0, results = 0;
  double scale = 1;
  double begin = 0, end = 1;
};

/// A result entry: weights of the image's entries first, first + 1, ...;
/// entries outside of the image are those at its edges.
struct ResizeTaps {
  int64_t first = 0;
  std::vector<double> weights;
  /// Whether the position lies outside of the image, which counts for
  /// `tf_crop_and_resize` only.
  bool isOutside = false;
};

/// Taps that repeat: those of result `phases * n + p` are those of result `p`,
/// moved by `stride * n` entries.
struct RepeatingTaps {
  int64_t phases = 1, stride = 1, repeats = 1;
  /// The entries first .. first + count - 1 are all that the results 0 ..
  /// phases - 1 come from.
  int64_t first = 0, count = 0;
};

/// What a node says of all dimensions. Names are those of the standard.
struct ResizeRule {
  ResizeMode mode = ResizeMode::Nearest;
  std::string coordinates = "half_pixel";
  std::string rounding = "round_prefer_floor";
  double cubicCoefficient = -0.75;
  bool excludesOutside = false;

  /// Whether `coordinates` and `rounding` are names that there are.
  bool hasKnownNames() const;
};

/// One for each entry of the result. Those of nearest have one weight, 1, and
/// lie inside of the image.
std::vector<ResizeTaps> resizeTaps(const ResizeRule &rule,
                                   const ResizeAxis &axis);

/// How taps repeat; nothing where they do not.
std::optional<RepeatingTaps> findRepeating(const std::vector<ResizeTaps> &taps,
                                           const ResizeAxis &axis);

} // namespace npu

#endif // NPU_LIB_TRANSLATION_ONNX_OPERATORS_RESIZETAPS_H
