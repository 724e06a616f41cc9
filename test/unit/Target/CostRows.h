// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// Workloads with known cycles, data/costs.jsonl, and what the formulas say of
// them. docs/devices.md has the fields.

#ifndef NPU_TEST_UNIT_TARGET_COSTROWS_H
#define NPU_TEST_UNIT_TARGET_COSTROWS_H

#include "npu/Target/Costs.h"

#include <array>
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

inline int64_t moveCycles(const CostFigures &figures, const Row &row) {
  std::string direction = row.text("dir");
  Direction way = direction == "DDR2CMX"   ? Direction::DdrToTile
                  : direction == "CMX2DDR" ? Direction::TileToDdr
                  : direction == "CMX2CMX" ? Direction::TileToTile
                                           : Direction::DdrToDdr;
  return transferCycles(figures, way, row.number("bytes"));
}

/// What a kernel loads and stores of each element, and what it does: the same
/// as in scripts/fit-costs.py.
struct Kernel {
  std::string_view name;
  int64_t moves;
  VectorBody body;
};

inline constexpr Kernel kernels[] = {
    {"abs", 2, {.simple = 1}},
    {"relu", 2, {.simple = 1}},
    {"mul", 3, {.simple = 1}},
    {"exp", 2, {.special = 1}},
    {"log", 2, {.special = 1}},
    {"sqrt", 2, {.special = 1}},
    {"sigmoid", 2, {.sigmoid = 1}},
    {"tanh", 2, {.sigmoid = 1}},
    {"swish", 2, {.divide = 1}},
    {"MVN_2Ax", 3, {.simple = 4, .reduce = 2}},
    {"MVN_3Ax", 3, {.simple = 4, .reduce = 2}},
    {"clamp", 2, {.simple = 2}},
    {"hsigmoid", 2, {.simple = 4}},
    {"hardsigmoid", 2, {.simple = 4}},
    {"hswish", 2, {.simple = 5}},
    {"prelu", 2, {.simple = 3}},
    {"cosh", 2, {.simple = 3, .special = 2}},
    {"sinh", 2, {.simple = 3, .special = 2}},
    {"elu", 2, {.simple = 4, .special = 1}},
    {"selu", 2, {.simple = 5, .special = 1}},
    {"mish", 2, {.simple = 2, .special = 2, .sigmoid = 1}},
    {"gelu", 2, {.simple = 8, .sigmoid = 1}},
};

/// The kernel of a row; null where it is an emulated one.
inline const Kernel *kernelOf(const Row &row) {
  for (const Kernel &kernel : kernels)
    if (kernel.name == row.text("op"))
      return &kernel;
  return nullptr;
}

inline int64_t kernelCycles(const CostFigures &figures, const Row &row) {
  const Kernel &kernel = *kernelOf(row);
  const int64_t elements = row.number("elements");
  return vectorCycles(figures, std::array{VectorPart{kernel.body, elements}},
                      std::array{VectorMove{kernel.moves * elements}});
}

} // namespace npu

#endif // NPU_TEST_UNIT_TARGET_COSTROWS_H
