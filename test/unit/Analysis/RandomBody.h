// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// Writes random regions of linalg operations: expressions of entries, positions
// and numbers that are special in some way.

#ifndef NPU_TEST_UNIT_ANALYSIS_RANDOMBODY_H
#define NPU_TEST_UNIT_ANALYSIS_RANDOMBODY_H

#include <random>
#include <string>
#include <vector>

namespace npu {

class RandomBody {
public:
  /// `loops` loops, and named values of type f32, index and i32 to choose from
  /// beside constants.
  RandomBody(std::mt19937 &rng, unsigned loops) : rng(rng), loops(loops) {}

  std::vector<std::string> floats, indices, integers;
  /// Tables of 4 entries that may be read: tensor<4xf32>.
  std::vector<std::string> tables;
  /// Positions are only what `indices` names, and truth values now and then
  /// what `masks` names.
  bool onlyIndices = false;
  std::vector<std::string> masks;
  /// Numbers that masks often choose, as f32 is spelled.
  std::vector<std::string> favorites;
  bool divides = true, extremes = true;

  /// Each gives the name of a value, after writing what computes it.
  std::string real(unsigned depth);
  std::string boolean(unsigned depth);
  std::string integer(unsigned depth);
  std::string position();
  /// A choice by a comparison of positions, as masks are.
  std::string masked(unsigned depth);

  std::string emit(const std::string &what, const std::string &type);
  /// What has been written, a line for each operation.
  const std::string &text() const { return lines; }

  unsigned below(unsigned n) {
    return std::uniform_int_distribution<unsigned>(0, n - 1)(rng);
  }
  const std::string &oneOf(const std::vector<std::string> &these) {
    return these[below(unsigned(these.size()))];
  }

private:
  std::mt19937 &rng;
  unsigned loops, count = 0;
  std::string lines;
};

/// One of the numbers that are special, as f32 is spelled.
std::string specialReal(std::mt19937 &rng, bool extremes = true);
/// The numbers themselves; with `extremes`, also those of which sums, products
/// and quotients overflow.
float specialRealValue(std::mt19937 &rng, bool extremes = true);

} // namespace npu

#endif // NPU_TEST_UNIT_ANALYSIS_RANDOMBODY_H
