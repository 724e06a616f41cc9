// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// Copies of boxes between arrays in memory, as few runs of bytes as there can
// be.

#ifndef NPU_BENCHMARKS_EXCHANGE_STRIDED_H
#define NPU_BENCHMARKS_EXCHANGE_STRIDED_H

#include <algorithm>
#include <cstdint>
#include <cstring>
#include <vector>

#ifdef __SSE2__
#include <emmintrin.h>
#endif

namespace exchange {

using Extents = std::vector<int64_t>;

/// A box of an array in row-major order, in elements.
struct Place {
  Extents array;
  Extents begin;
};

inline Extents stridesOf(const Extents &extents, int64_t elementBytes) {
  Extents strides(extents.size(), elementBytes);
  for (std::size_t dim = extents.size(); dim-- > 1;)
    strides[dim - 1] = strides[dim] * extents[dim];
  return strides;
}

/// Runs of `run` bytes, repeated along loops, the outermost first. Loops that
/// continue each other on both sides are one.
struct Copy {
  struct Loop {
    int64_t count, source, target;
  };
  int64_t sourceBegin = 0, targetBegin = 0;
  std::vector<Loop> loops;
  int64_t run = 0;

  /// Copies a box of `sizes` elements from one place to another.
  Copy(const Extents &sizes, const Place &source, const Place &target,
       int64_t elementBytes)
      : run(elementBytes) {
    Extents from = stridesOf(source.array, elementBytes);
    Extents to = stridesOf(target.array, elementBytes);
    for (std::size_t dim = sizes.size(); dim-- > 0;) {
      sourceBegin += source.begin[dim] * from[dim];
      targetBegin += target.begin[dim] * to[dim];
      add({sizes[dim], from[dim], to[dim]});
    }
    std::reverse(loops.begin(), loops.end());
  }

  int64_t bytes() const {
    int64_t product = run;
    for (const Loop &loop : loops)
      product *= loop.count;
    return product;
  }

  void operator()(const char *source, char *target) const {
    copy(source + sourceBegin, target + targetBegin, 0);
  }

private:
  void add(Loop loop) {
    if (loop.count == 1)
      return;
    if (loops.empty() && loop.source == run && loop.target == run)
      run *= loop.count;
    else if (!loops.empty() &&
             loop.source == loops.back().count * loops.back().source &&
             loop.target == loops.back().count * loops.back().target)
      loops.back().count *= loop.count;
    else
      loops.push_back(loop);
  }

  void copy(const char *source, char *target, std::size_t depth) const {
    if (depth == loops.size()) {
      std::memcpy(target, source, run);
      return;
    }
    const Loop &loop = loops[depth];
    if (depth + 1 == loops.size()) {
      copyRuns(source, target, loop);
      return;
    }
    for (int64_t i = 0; i < loop.count; ++i)
      copy(source + i * loop.source, target + i * loop.target, depth + 1);
  }

  /// The innermost loop. Short runs are copied in words, without a call each.
  void copyRuns(const char *source, char *target, const Loop &loop) const {
    if (run <= 128 && run % 8 == 0) {
      for (int64_t i = 0; i < loop.count; ++i)
        for (int64_t byte = 0; byte < run; byte += 8)
          std::memcpy(target + i * loop.target + byte,
                      source + i * loop.source + byte, 8);
      return;
    }
    for (int64_t i = 0; i < loop.count; ++i)
      std::memcpy(target + i * loop.target, source + i * loop.source, run);
  }
};

} // namespace exchange

#endif // NPU_BENCHMARKS_EXCHANGE_STRIDED_H
