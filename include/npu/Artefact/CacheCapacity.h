// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// How many positions a cache can hold: the one rule that compilation, artefacts
// and runs follow.

#ifndef NPU_ARTEFACT_CACHECAPACITY_H
#define NPU_ARTEFACT_CACHECAPACITY_H

#include <cstdint>

namespace npu {

/// The positions that a cache can hold. One that grows with its prompt holds as
/// many as the largest prompt has (--max-prompt-len); its memory, of
/// `extent` positions, ends with room for the padding of one step. One of
/// static shape holds as many as its shape says.
constexpr int64_t cacheCapacity(bool grows, int64_t largestPrompt,
                                int64_t extent) {
  return grows ? largestPrompt : extent;
}

/// Whether a step of `rows` rows fits into a cache that holds `position`
/// positions already.
constexpr bool fitsCache(int64_t position, int64_t rows, int64_t capacity) {
  return position >= 0 && rows >= 0 && rows <= capacity &&
         position <= capacity - rows;
}

} // namespace npu

#endif // NPU_ARTEFACT_CACHECAPACITY_H
