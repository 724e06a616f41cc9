// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// The formulas are those of the field compiler's attributes (the functions
// backInferInputCoord of its dialect VPU), in integers.

#include "StorageElements.h"
#include "DumpLexer.h"
#include "DumpLists.h"

#include "llvm/ADT/StringRef.h"
#include "llvm/ADT/StringSwitch.h"
#include "llvm/Support/MathExtras.h"

#include <fmt/format.h>

#include <algorithm>
#include <cmath>

namespace npu {
namespace {

/// Larger numbers mean nothing, and their products could overflow.
constexpr int64_t kMaxNumber = int64_t(1) << 20;

/// "<NEAREST>" and "\"NEAREST\"" are the word NEAREST.
llvm::StringRef wordIn(llvm::StringRef text) { return text.trim("<>\" "); }

/// The numbers of a list at two places; nothing where one of them is missing,
/// no number or out of range.
std::optional<std::array<int64_t, 2>> pairAt(std::string_view list,
                                             std::size_t y, std::size_t x) {
  auto numbers = parseNumbers(list);
  if (!numbers || std::max(y, x) >= numbers->size())
    return std::nullopt;
  std::array<int64_t, 2> pair{(*numbers)[y], (*numbers)[x]};
  for (int64_t number : pair)
    if (number < 0 || number > kMaxNumber)
      return std::nullopt;
  return pair;
}

/// The whole numbers that "[1.0, 1.0, 2.000000e+00, 2.0]" has at 2 and 3.
std::optional<std::array<int64_t, 2>> scalesOf(std::string_view list) {
  list = trimmed(list);
  if (list.size() < 2 || list.front() != '[')
    return std::nullopt;
  std::vector<std::string_view> parts =
      splitList(list.substr(1, list.size() - 2));
  if (parts.size() != 4)
    return std::nullopt;
  std::array<int64_t, 2> scales{};
  for (std::size_t axis : {0, 1}) {
    double number = 0;
    llvm::StringRef digits = parts[axis + 2];
    if (digits.take_until([](char c) { return c == ' ' || c == ':'; })
            .getAsDouble(number) ||
        !(number >= 1 && number <= double(kMaxNumber)) ||
        number != std::floor(number))
      return std::nullopt;
    scales[axis] = static_cast<int64_t>(number);
  }
  return scales;
}

} // namespace

Result<StorageElements> StorageElements::parse(std::string_view attribute) {
  llvm::StringRef text = trimmed(attribute);
  auto [head, rest] = text.split('<');
  llvm::StringRef what = head.trim();
  Error unread{fmt::format("the numbers of its storage element table, {}, "
                           "cannot be read",
                           what.take_front(64).str())};
  StorageElements made;
  if (!rest.consume_back(">"))
    return unread;
  std::string_view fields = rest;
  auto field = [&](std::string_view name) {
    return findEntry(fields, name).value_or("");
  };
  if (!field("offsets").empty()) {
    auto offsets = pairAt(field("offsets"), 2, 3);
    if (!offsets)
      return unread;
    made.offsets = *offsets;
  }
  if (what == "#VPU.SEInterpolate") {
    made.kind = Kind::Interpolate;
    auto scales = scalesOf(field("scale"));
    llvm::StringRef mode = wordIn(field("mode"));
    made.bilinear = mode == "BILINEAR";
    auto coordinates =
        llvm::StringSwitch<std::optional<Coordinates>>(
            wordIn(field("coordinate_transformation_mode")))
            .Cases({"HALF_PIXEL", "PYTORCH_HALF_PIXEL"}, Coordinates::HalfPixel)
            .Case("ASYMMETRIC", Coordinates::Asymmetric)
            .Case("TF_HALF_PIXEL_FOR_NN", Coordinates::TfHalfPixel)
            .Case("ALIGN_CORNERS", Coordinates::AlignCorners)
            .Default(std::nullopt);
    // A scale is at least 1, where SIMPLE is FLOOR.
    auto nearest = llvm::StringSwitch<std::optional<Nearest>>(
                       wordIn(field("nearest_mode")))
                       .Cases({"FLOOR", "SIMPLE", ""}, Nearest::Floor)
                       .Case("CEIL", Nearest::Ceil)
                       .Case("ROUND_PREFER_FLOOR", Nearest::RoundFloor)
                       .Case("ROUND_PREFER_CEIL", Nearest::RoundCeil)
                       .Default(std::nullopt);
    if (!scales || !coordinates || !nearest ||
        (!made.bilinear && mode != "NEAREST"))
      return unread;
    made.scales = *scales;
    made.coordinates = *coordinates;
    made.nearest = *nearest;
    made.wholeInput = pairAt(field("initial_input_shape"), 2, 3);
    made.wholeOutput = pairAt(field("initial_output_shape"), 2, 3);
    made.name = fmt::format("an interpolation by {}, {}", made.scales[0],
                            made.scales[1]);
    return made;
  }
  // Paddings are [left, top, right, bottom].
  auto padding = pairAt(field("padding"), 1, 0);
  if (what == "#VPU.SEUpsampling") {
    made.kind = Kind::Upsample;
    auto factors = pairAt(field("factors"), 0, 1);
    if (!factors || (!padding && !field("padding").empty()))
      return unread;
    made.factors = *factors;
    made.before = padding.value_or(std::array<int64_t, 2>{0, 0});
    made.name = fmt::format("an upsampling with {}, {} zeros between",
                            made.factors[0], made.factors[1]);
    return made;
  }
  if (what == "#VPU.SEPadding") {
    made.kind = Kind::Pad;
    llvm::StringRef mode = wordIn(field("mode"));
    made.repeatsEdge = mode == "SYMMETRIC";
    made.mirrors = made.repeatsEdge || mode == "REFLECT";
    if (!padding || (!made.mirrors && mode != "CONSTANT" && mode != "EDGE"))
      return unread;
    made.before = *padding;
    made.name = "a padding";
    return made;
  }
  if (what == "#VPU.SERoll") {
    made.kind = Kind::Roll;
    auto shifts = pairAt(field("shift"), 0, 1);
    auto axes = pairAt(field("axes"), 0, 1);
    if (!shifts || !axes || *axes != std::array<int64_t, 2>{2, 3})
      return unread;
    made.shifts = *shifts;
    made.name = "a roll";
    return made;
  }
  return Error{fmt::format("it is not known what its storage element table, "
                           "{}, points to",
                           what.take_front(64).str())};
}

std::optional<StorageElements> StorageElements::guess(const Extents &table,
                                                      const Extents &data,
                                                      const Extents &kernel,
                                                      const Extents &strides) {
  if (table == data)
    return StorageElements();
  for (Coordinates coordinates :
       {Coordinates::HalfPixel, Coordinates::Asymmetric,
        Coordinates::TfHalfPixel}) {
    StorageElements made;
    made.kind = Kind::Interpolate;
    made.bilinear = true;
    made.coordinates = coordinates;
    bool fits = true;
    for (int axis : {0, 1}) {
      // The kernel of an interpolation is its scale, or twice that.
      int64_t found = 0;
      for (int64_t scale : {kernel[axis], kernel[axis] / 2}) {
        made.scales[axis] = scale;
        if (scale < 1 || scale > kMaxNumber || found)
          continue;
        Window window = made.windowOf(axis);
        if (window.kernel == kernel[axis] && window.stride == strides[axis] &&
            data[axis] <= kMaxNumber &&
            table[axis] == data[axis] * window.kernel + window.padding)
          found = scale;
      }
      made.scales[axis] = found;
      fits = fits && found;
    }
    if (!fits)
      continue;
    made.name = fmt::format("an interpolation by {}, {}", made.scales[0],
                            made.scales[1]);
    return made;
  }
  return std::nullopt;
}

StorageElements::Window StorageElements::windowOf(int axis) const {
  int64_t scale = scales[axis];
  if (!bilinear)
    return {1, 1, 0};
  switch (coordinates) {
  case Coordinates::HalfPixel:
    // An even scale has its points between two entries, so that both the
    // kernel and the stride are doubled.
    if (scale % 2 == 0)
      return {2 * scale, 2, 2 * (scale - 1)};
    return {scale, 1, scale - 1};
  case Coordinates::TfHalfPixel:
    return {scale, 2, scale};
  case Coordinates::Asymmetric:
    return {scale, 1, scale - 1};
  case Coordinates::AlignCorners:
    return {scale, 1, 0};
  }
  return {1, 1, 0};
}

/// The entry of the data that an interpolation takes, which may lie outside.
int64_t StorageElements::interpolated(int axis, int64_t position,
                                      int64_t extent) const {
  Window window = windowOf(axis);
  int64_t point =
      std::max<int64_t>(0, position - window.kernel + 1) / window.stride;
  int64_t scale = scales[axis];
  if (scale == 1)
    return point;
  // The coordinate among the data, as a fraction.
  int64_t above = 0, below = 1;
  switch (coordinates) {
  case Coordinates::HalfPixel:
    above = 2 * point + 1 - scale;
    below = 2 * scale;
    break;
  case Coordinates::TfHalfPixel:
    above = 2 * point + 1;
    below = 2 * scale;
    break;
  case Coordinates::Asymmetric:
    above = point;
    below = scale;
    break;
  case Coordinates::AlignCorners: {
    int64_t inputs = wholeInput ? (*wholeInput)[axis] : extent;
    int64_t outputs =
        wholeOutput
            ? (*wholeOutput)[axis]
            : extent * (bilinear ? window.kernel : scale) + window.padding;
    above = outputs == 1 ? 0 : point * (inputs - 1);
    below = std::max<int64_t>(1, outputs - 1);
    break;
  }
  }
  if (bilinear)
    return llvm::divideCeilSigned(above, below);
  switch (nearest) {
  case Nearest::Floor:
    return llvm::divideFloorSigned(above, below);
  case Nearest::Ceil:
    return llvm::divideCeilSigned(above, below);
  case Nearest::RoundFloor:
    return llvm::divideCeilSigned(2 * above - below, 2 * below);
  case Nearest::RoundCeil:
    return llvm::divideFloorSigned(2 * above + below, 2 * below);
  }
  return point;
}

int64_t StorageElements::padded(int axis, int64_t position,
                                int64_t extent) const {
  int64_t entry = position - before[axis];
  if (!mirrors)
    return entry;
  if (entry < 0)
    return -entry - repeatsEdge;
  if (entry >= extent)
    return 2 * (extent - 1) - entry + repeatsEdge;
  return entry;
}

int64_t StorageElements::entryOf(int axis, int64_t position,
                                 int64_t extent) const {
  int64_t entry = position + offsets[axis];
  switch (kind) {
  case Kind::Identity:
    break;
  case Kind::Interpolate:
    entry = interpolated(axis, entry, extent);
    break;
  case Kind::Upsample:
    entry = std::max<int64_t>(0, entry - before[axis]) / (factors[axis] + 1);
    break;
  case Kind::Pad:
    entry = padded(axis, entry, extent);
    break;
  case Kind::Roll:
    entry = ((entry - shifts[axis]) % extent + extent) % extent;
    break;
  }
  return std::clamp<int64_t>(entry, 0, extent - 1);
}

Range StorageElements::pointedTo(int axis, Range range, int64_t extent) const {
  if (range.isEmpty() || extent < 1)
    return {};
  // Between these positions the entries only rise, or only fall.
  std::vector<int64_t> turns = {range.begin, range.end - 1};
  int64_t begin = before[axis] - offsets[axis];
  if (kind == Kind::Pad)
    turns.insert(turns.end(),
                 {begin - 1, begin, begin + extent - 1, begin + extent});
  if (kind == Kind::Roll) {
    if (range.extent() >= extent)
      return {0, extent};
    // Where the last entry is followed by the first one, for the second time if
    // the range begins after it.
    int64_t wrap =
        ((shifts[axis] - offsets[axis] - range.begin) % extent + extent) %
            extent +
        range.begin;
    turns.insert(turns.end(), {wrap - 1, wrap});
  }
  Range found;
  for (int64_t position : turns)
    if (position >= range.begin && position < range.end) {
      int64_t entry = entryOf(axis, position, extent);
      found = hull(found, {entry, entry + 1});
    }
  return found;
}

} // namespace npu
