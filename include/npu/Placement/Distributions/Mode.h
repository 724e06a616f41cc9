// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// The modes of a distribution, one row of properties each. Code that needs to
// know what a mode means asks its row; nothing else compares modes.

#ifndef NPU_PLACEMENT_DISTRIBUTIONS_MODE_H
#define NPU_PLACEMENT_DISTRIBUTIONS_MODE_H

#include <optional>
#include <span>
#include <string>
#include <string_view>
#include <vector>

namespace npu {

enum class Mode {
  Segmented,
  Overlapped,
  Duplicated,
  SegmentedDuplicated,
  SegmentedMulticasted,
};

/// The properties of a mode (docs/concepts.md, "From distribution to
/// placement").
struct ModeTraits {
  Mode mode;
  /// The word that the mode has in layouts, or its two words joined by '|'. The
  /// field compiler uses the same words, and writes the two of a pair in either
  /// order.
  std::string_view words;
  /// `tiles` cuts the tensor into compute boxes. Otherwise every tile computes
  /// all of it, and a single count says how many tiles there are.
  bool splits;
  /// The compute boxes of two tiles are equal or disjoint.
  bool computesOnce;
  /// A memory box is the whole tensor, whatever the compute box is.
  bool holdsWhole;
  /// Windows and memory boxes may say what a tile holds beside its compute box.
  bool hasHalo;
};

/// All modes, in the order of `Mode`.
std::span<const ModeTraits> allModes();

/// The row of a mode. Ends the program for a number that is no mode: it would
/// otherwise be placed by the rule of another mode.
const ModeTraits &traitsOf(Mode mode);

/// "SEGMENTED", "SEGMENTED|DUPLICATED", ...
std::string_view toString(Mode mode);
/// The mode of one word, or of two in either order ("" for no second word).
std::optional<Mode> parseMode(std::string_view first,
                              std::string_view second = "");
/// The words that modes are made of, each once: "SEGMENTED", "OVERLAPPED",
/// "DUPLICATED", "MULTICASTED".
std::vector<std::string_view> modeWords();
/// Every mode as it is written, for messages: "SEGMENTED, OVERLAPPED, ...",
/// with `last` before the last one.
std::string listModes(std::string_view last = ", ");

} // namespace npu

#endif // NPU_PLACEMENT_DISTRIBUTIONS_MODE_H
