// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// Spoils a sum in parts in ways that must not pass for rounding, to see that
// the comparison can fail.

#ifndef NPU_FUZZ_CASES_SPOILSUM_H
#define NPU_FUZZ_CASES_SPOILSUM_H

#include "mlir/IR/BuiltinOps.h"

#include <cstdint>
#include <string>

namespace npu {

/// How a sum is spoiled: a part is not combined, is combined twice, or begins
/// with one more than the neutral element.
enum class SpoiledSum { Lost, Twice, Neutral };

/// The kind of a case, by the remainder of its seed.
inline SpoiledSum spoiledSumOf(uint64_t seed) {
  return static_cast<SpoiledSum>(seed % 3);
}

/// Spoils one part of one split reduction of a legalized function, chosen by
/// the seed. Returns a description, or "" where no float sum is split.
std::string spoilSplitSum(mlir::ModuleOp module, uint64_t seed);

} // namespace npu

#endif // NPU_FUZZ_CASES_SPOILSUM_H
