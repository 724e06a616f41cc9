// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// How far two results are apart: bit for bit, and then how far.

#ifndef NPU_EXECUTION_COMPARETENSORS_H
#define NPU_EXECUTION_COMPARETENSORS_H

#include "npu/Execution/HostTensor.h"

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
  /// Of these, those that the tolerance does not let pass.
  int64_t beyond = 0;
  double maxAbsolute = 0;
  /// The largest share of its bound that a difference takes.
  double maxOfBound = 0;
  /// Steps between representable neighbours; integers count by one. The largest
  /// number where one side only is a NaN.
  uint64_t maxUlp = 0;
  /// The first that is beyond the tolerance; if none is, the first different.
  std::optional<int64_t> first;
};

/// Precondition: both have one spec. An absolute difference within `bound`, f64
/// of the same shape, passes as well.
Comparison compareTensors(const HostTensor &expected, const HostTensor &got,
                          const Tolerance &tolerance,
                          const HostTensor *bound = nullptr);

} // namespace npu

#endif // NPU_EXECUTION_COMPARETENSORS_H
