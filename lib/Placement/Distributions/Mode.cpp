// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception

#include "npu/Placement/Distributions/Mode.h"

#include <algorithm>
#include <array>
#include <cstdlib>
#include <utility>

namespace npu {
namespace {

constexpr std::array modes = {
    ModeTraits{.mode = Mode::Segmented,
               .words = "SEGMENTED",
               .splits = true,
               .computesOnce = true,
               .holdsWhole = false,
               .hasHalo = false},
    ModeTraits{.mode = Mode::Overlapped,
               .words = "OVERLAPPED",
               .splits = true,
               .computesOnce = false,
               .holdsWhole = false,
               .hasHalo = true},
    ModeTraits{.mode = Mode::Duplicated,
               .words = "DUPLICATED",
               .splits = false,
               .computesOnce = false,
               .holdsWhole = true,
               .hasHalo = false},
    ModeTraits{.mode = Mode::SegmentedDuplicated,
               .words = "SEGMENTED|DUPLICATED",
               .splits = true,
               .computesOnce = true,
               .holdsWhole = true,
               .hasHalo = false},
    ModeTraits{.mode = Mode::SegmentedMulticasted,
               .words = "SEGMENTED|MULTICASTED",
               .splits = true,
               .computesOnce = true,
               .holdsWhole = true,
               .hasHalo = false},
};

constexpr bool rowsStandByNumber() {
  for (std::size_t row = 0; row < modes.size(); ++row)
    if (modes[row].mode != static_cast<Mode>(row))
      return false;
  return true;
}
static_assert(rowsStandByNumber());

/// "A|B" as {A, B}; one word as {A, ""}.
std::pair<std::string_view, std::string_view> wordsOf(const ModeTraits &row) {
  std::size_t bar = row.words.find('|');
  if (bar == std::string_view::npos)
    return {row.words, ""};
  return {row.words.substr(0, bar), row.words.substr(bar + 1)};
}

} // namespace

std::span<const ModeTraits> allModes() { return modes; }

const ModeTraits &traitsOf(Mode mode) {
  auto row = static_cast<std::size_t>(mode);
  if (row >= modes.size())
    std::abort();
  return modes[row];
}

std::string_view toString(Mode mode) { return traitsOf(mode).words; }

std::optional<Mode> parseMode(std::string_view first, std::string_view second) {
  for (const ModeTraits &row : modes) {
    auto [one, other] = wordsOf(row);
    if ((first == one && second == other) ||
        (!other.empty() && first == other && second == one))
      return row.mode;
  }
  return std::nullopt;
}

std::vector<std::string_view> modeWords() {
  std::vector<std::string_view> words;
  for (const ModeTraits &row : modes) {
    auto [one, other] = wordsOf(row);
    for (std::string_view word : {one, other})
      if (!word.empty() && std::ranges::find(words, word) == words.end())
        words.push_back(word);
  }
  return words;
}

std::string listModes(std::string_view last) {
  std::string list;
  for (const ModeTraits &row : modes) {
    if (&row != &modes.front())
      list += &row == &modes.back() ? last : ", ";
    list += row.words;
  }
  return list;
}

} // namespace npu
