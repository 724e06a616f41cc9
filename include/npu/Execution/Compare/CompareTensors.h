// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// Comparison of two results: which elements differ in their bits, and by how
// much.

#ifndef NPU_EXECUTION_COMPARE_COMPARETENSORS_H
#define NPU_EXECUTION_COMPARE_COMPARETENSORS_H

#include "npu/Host/HostTensor.h"

#include <optional>

namespace npu {

/// Which differences are accepted. Zero in both fields asks for equal bits,
/// where all NaNs are equal and +0.0 differs from -0.0; otherwise an element is
/// accepted that is within either field.
struct Tolerance {
  double absolute = 0;
  uint64_t ulp = 0;
};

/// Parses "0.001", "1e-3" (absolute) or "4ulp".
Result<Tolerance> parseTolerance(const std::string &text);

struct Comparison {
  int64_t elements = 0;
  /// Elements whose bits differ (NaN equals NaN).
  int64_t different = 0;
  /// The elements of `different` that neither tolerance nor replay accepts.
  int64_t beyond = 0;
  /// The elements of `different` that only the replay accepts.
  int64_t replayed = 0;
  /// The elements of `beyond` that are infinite or NaN on one side, or infinite
  /// with different signs, where the replay has the bits that were got.
  int64_t overflowed = 0;
  double maxAbsolute = 0;
  /// The largest difference in steps between representable neighbours; integers
  /// count by one. The largest uint64_t where only one side is a NaN.
  uint64_t maxUlp = 0;
  /// The index of the first element beyond the tolerance; if there is none, of
  /// the first that differs.
  std::optional<int64_t> first;
};

/// Compares element by element. An element that has the bits of `replay`, which
/// is `expected` with sums added up in another order, is accepted as well. NaN
/// or an infinity on one side alone, and two different infinities, are accepted
/// by no tolerance. Precondition: all tensors have one spec.
Comparison compareTensors(const HostTensor &expected, const HostTensor &got,
                          const Tolerance &tolerance,
                          const HostTensor *replay = nullptr);

} // namespace npu

#endif // NPU_EXECUTION_COMPARE_COMPARETENSORS_H
