// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// Does to a sum in parts what must not pass for rounding, so that whoever
// believes the comparison can see it fail.

#ifndef NPU_LIB_FUZZ_CASES_SPOILSUM_H
#define NPU_LIB_FUZZ_CASES_SPOILSUM_H

#include "mlir/IR/BuiltinOps.h"

#include <cstdint>
#include <string>

namespace npu {

/// A part is not combined, is combined twice, or begins with one more than the
/// neutral element.
enum class SpoiledSum { Lost, Twice, Neutral };

/// By the remainder of the seed, which so says the kind of every case.
inline SpoiledSum spoiledSumOf(uint64_t seed) {
  return static_cast<SpoiledSum>(seed % 3);
}

/// Spoils one part of one split reduction of a legalized function; the seed
/// says which and how. What was done, or "" where no float sum is split.
std::string spoilSplitSum(mlir::ModuleOp module, uint64_t seed);

} // namespace npu

#endif // NPU_LIB_FUZZ_CASES_SPOILSUM_H
