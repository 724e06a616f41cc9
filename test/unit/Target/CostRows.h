// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// Workloads with known cycles, data/costs.jsonl, and what the formulas say of
// them. docs/devices.md has the fields.

#ifndef NPU_TEST_UNIT_TARGET_COSTROWS_H
#define NPU_TEST_UNIT_TARGET_COSTROWS_H

#include "npu/Target/Costs.h"

#include <charconv>
#include <fstream>
#include <string>
#include <vector>

namespace npu {

/// One line of the rows: a flat JSON object.
class Row {
public:
  explicit Row(std::string line) : line(std::move(line)) {}

  std::string text(std::string_view key) const {
    size_t begin = after(key);
    if (begin == std::string::npos)
      return {};
    return line.substr(begin + 1, line.find('"', begin + 1) - begin - 1);
  }

  int64_t number(std::string_view key) const {
    int64_t value = 0;
    if (size_t begin = after(key); begin != std::string::npos)
      std::from_chars(line.data() + begin, line.data() + line.size(), value);
    return value;
  }

private:
  size_t after(std::string_view key) const {
    std::string quoted = "\"" + std::string(key) + "\": ";
    size_t found = line.find(quoted);
    return found == std::string::npos ? found : found + quoted.size();
  }

  std::string line;
};

inline std::vector<Row> readRows(const std::string &path) {
  std::ifstream file(path);
  std::vector<Row> rows;
  for (std::string line; std::getline(file, line);)
    rows.emplace_back(line);
  return rows;
}

inline int64_t elementBitsOf(const Row &row) {
  return row.text("dtype") == "i8" ? 8 : 16;
}

inline int64_t engineCycles(const CostFigures &figures, const Row &row) {
  int64_t bits = elementBitsOf(row);
  int64_t pixels = row.number("OW") * row.number("OH");
  int64_t window = row.number("k") * row.number("k");
  std::string op = row.text("op");
  if (op == "CONVOLUTION")
    return contractionCycles(
        figures, {pixels, row.number("IC"), row.number("OC"), bits, window});
  if (op == "ELTWISE")
    return elementwiseCycles(figures, pixels, row.number("OC"), bits);
  WindowPart part{pixels, row.number("W") * row.number("H"), row.number("OC"),
                  window, bits};
  return op == "MAXPOOL" ? poolingCycles(figures, part)
                         : depthwiseCycles(figures, part);
}

inline int64_t copyCycles(const CostFigures &figures, const Row &row) {
  std::string direction = row.text("dir");
  Direction way = direction == "DDR2CMX"   ? Direction::DdrToTile
                  : direction == "CMX2DDR" ? Direction::TileToDdr
                  : direction == "CMX2CMX" ? Direction::TileToTile
                                           : Direction::DdrToDdr;
  return transferCycles(figures, way, row.number("bytes"));
}

inline int64_t kernelCycles(const CostFigures &figures, const Row &row) {
  std::string op = row.text("op");
  VectorBody body;
  if (op == "exp" || op == "log" || op == "sqrt")
    body.special = 1;
  else if (op == "sigmoid" || op == "tanh")
    body.sigmoid = 1;
  else if (op == "swish")
    body.divide = 1;
  else if (op.starts_with("MVN"))
    body = {.simple = 4, .reduce = 2};
  else
    body.simple = 1;
  return vectorCycles(figures, body, row.number("elements"), 16);
}

} // namespace npu

#endif // NPU_TEST_UNIT_TARGET_COSTROWS_H
