// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// Reading the rows of test/unit/Placement/data.

#ifndef NPU_UNITTEST_PLACEMENT_GOLDENROWS_H
#define NPU_UNITTEST_PLACEMENT_GOLDENROWS_H

#include "npu/Placement/Distributions/Placement.h"

#include <fstream>
#include <map>
#include <sstream>
#include <string>
#include <vector>

namespace npu {

inline std::vector<std::string> splitText(const std::string &text,
                                          char separator) {
  std::vector<std::string> parts;
  std::istringstream stream(text);
  for (std::string part; std::getline(stream, part, separator);)
    parts.push_back(part);
  return parts;
}

inline Extents numbersOf(const std::string &text, char separator) {
  Extents numbers;
  for (const std::string &part : splitText(text, separator))
    numbers.push_back(std::stoll(part));
  return numbers;
}

/// One row: its fields, with id and source file for messages.
struct GoldenRow {
  std::string id;
  std::string source;
  std::map<std::string, std::string> fields;

  bool has(const std::string &key) const { return fields.count(key) != 0; }
  std::string text(const std::string &key) const {
    auto field = fields.find(key);
    return field == fields.end() ? "" : field->second;
  }
  Extents extents(const std::string &key) const {
    return numbersOf(text(key), 'x');
  }
};

inline std::vector<GoldenRow> readGoldenRows(const std::string &file) {
  std::ifstream stream(std::string(NPU_TEST_DATA_DIR) + "/" + file);
  std::vector<GoldenRow> rows;
  std::string source;
  for (std::string line; std::getline(stream, line);) {
    if (line.empty() || line[0] == '#')
      continue;
    if (line[0] == '@') {
      source = line.substr(1);
      continue;
    }
    GoldenRow row{"", source, {}};
    for (const std::string &field : splitText(line, ' ')) {
      std::size_t equals = field.find('=');
      if (row.id.empty())
        row.id = field;
      else
        row.fields[field.substr(0, equals)] = field.substr(equals + 1);
    }
    rows.push_back(row);
  }
  return rows;
}

inline std::vector<Box> boxesOf(const std::string &text, const Extents &shape) {
  std::vector<Box> boxes;
  for (const std::string &tile : splitText(text, ';')) {
    boxes.push_back(Box::whole(shape));
    for (const std::string &part : splitText(tile, ',')) {
      if (part == "*")
        continue;
      std::size_t colon = part.find(':');
      Extents range = numbersOf(part.substr(colon + 1), '-');
      boxes.back()[std::stoul(part)] = {range[0], range[1]};
    }
  }
  return boxes;
}

/// The windows along the split dimensions of a 4-D tensor (batch, channels,
/// height, width).
inline std::vector<Window> windowsOf(const std::string &text,
                                     const Extents &tiles) {
  std::vector<Window> windows;
  for (const std::string &window : splitText(text, ';')) {
    if (window == "-")
      continue;
    std::vector<std::string> parts = splitText(window, '/');
    Extents kernel = numbersOf(parts[0], 'x'),
            stride = numbersOf(parts[1], 'x');
    Extents pads = numbersOf(parts[2], ',');
    for (int64_t axis : {0, 1})
      if (tiles[2 + axis] > 1)
        windows.push_back({2 + axis, kernel[axis], stride[axis], pads[2 * axis],
                           pads[2 * axis + 1], 1});
  }
  return windows;
}

inline Mode modeOf(const std::string &text) {
  std::vector<std::string> words = splitText(text, '|');
  return *parseMode(words[0], words.size() > 1 ? words[1] : "");
}

/// The short form: mode, tiles, split, align and windows. `prefix` is "in." or
/// "out." for casts.
inline Distribution shortFormOf(const GoldenRow &row,
                                const std::string &prefix = "") {
  Distribution result;
  result.mode = modeOf(row.text(prefix + "mode"));
  if (row.has(prefix + "tiles"))
    result.tiles = row.extents(prefix + "tiles");
  else
    result.tileCount = std::stoll(row.text(prefix + "clusters"));
  result.split =
      row.text(prefix + "split") == "balanced" ? Split::Balanced : Split::Ceil;
  if (row.has(prefix + "align"))
    result.align = row.extents(prefix + "align");
  if (result.mode == Mode::Overlapped) {
    std::string windows = row.has(prefix + "consumers")
                              ? row.text(prefix + "consumers")
                              : row.text(prefix + "window");
    result.windows = windowsOf(windows, result.tiles);
  }
  normalize(result);
  return result;
}

/// The boxes as written, or nothing.
inline std::optional<Distribution>
writtenBoxesOf(const GoldenRow &row, const Extents &shape,
               const std::string &prefix = "") {
  if (!row.has(prefix + "compute"))
    return std::nullopt;
  Distribution result;
  result.mode = modeOf(row.text(prefix + "mode"));
  result.compute = boxesOf(row.text(prefix + "compute"), shape);
  if (row.text(prefix + "memory") != "same")
    result.memory = boxesOf(row.text(prefix + "memory"), shape);
  return result;
}

} // namespace npu

#endif // NPU_UNITTEST_PLACEMENT_GOLDENROWS_H
