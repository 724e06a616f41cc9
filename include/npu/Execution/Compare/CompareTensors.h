// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// How far two results are apart: bit for bit, and then how far.

#ifndef NPU_EXECUTION_COMPARE_COMPARETENSORS_H
#define NPU_EXECUTION_COMPARE_COMPARETENSORS_H

#include "npu/Execution/Host/HostTensor.h"

#include <optional>

namespace npu {

/// What passes. Zero in both is equality by bits, where any NaN is equal to any
/// NaN and +0.0 differs from -0.0; otherwise what is within either passes.
struct Tolerance {
  double absolute = 0;
  uint64_t ulp = 0;
};

/// "0.001", "1e-3", "4ulp".
Result<Tolerance> parseTolerance(const std::string &text);

struct Comparison {
  int64_t elements = 0;
  /// Elements whose bits differ (NaN equals NaN).
  int64_t different = 0;
  /// Of these, those that nothing lets pass.
  int64_t beyond = 0;
  /// Of these that pass, those that only the replay lets pass.
  int64_t replayed = 0;
  /// Of those beyond, those that are infinite or NaN on one side, or infinite
  /// with different signs, where the replay is what was got.
  int64_t overflowed = 0;
  double maxAbsolute = 0;
  /// Steps between representable neighbours; integers count by one. The largest
  /// number where one side only is a NaN.
  uint64_t maxUlp = 0;
  /// The first that is beyond; if none is, the first different.
  std::optional<int64_t> first;
};

/// Precondition: all have one spec. What has the bits of `replay`, which is
/// `expected` with sums added up in another order, passes as well. NaN or an
/// infinity on one side alone, and two different infinities, never pass.
Comparison compareTensors(const HostTensor &expected, const HostTensor &got,
                          const Tolerance &tolerance,
                          const HostTensor *replay = nullptr);

} // namespace npu

#endif // NPU_EXECUTION_COMPARE_COMPARETENSORS_H
